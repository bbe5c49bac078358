/** The URL of an S3-compatible store: `s3://bucket/prefix?endpoint=https://host&region=eu-central-1`. */

import { StoreOpenError } from '../store.ts'

export interface S3Place {
  /** The name of the bucket. */
  readonly name: string
  /** The URI of the bucket, without a slash at its end. */
  readonly bucket: URL
  /** Before each key: empty, or with a slash at its end. */
  readonly prefix: string
  readonly region: string
  readonly credentials: S3Credentials
}

export interface S3Credentials {
  readonly accessKey: string
  readonly secretKey: string
  readonly sessionToken: string | undefined
}

export function isS3Url(url: string): boolean {
  return url.startsWith('s3://')
}

/**
 * The user information of the URL is the access key and the secret key. Throws a StoreOpenError, whose message begins
 * with what the place is for.
 */
export function parseS3Url(text: string, purpose = 'The store of files'): S3Place {
  const example = `${purpose} must be a URL like s3://bucket/prefix?endpoint=https://host&region=eu-central-1.`
  const url = URL.canParse(text) ? new URL(text) : undefined
  const bucket = url?.hostname ?? ''
  if (!url || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || url.port !== '') {
    throw new StoreOpenError(`${example} '${withoutUser(text)}' names no bucket.`)
  }
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.has(name))
  if (unknown !== undefined) throw new StoreOpenError(`${example} The parameter '${unknown}' is unknown.`)
  if (url.username === '' || url.password === '') {
    throw new StoreOpenError(
      `${purpose} needs credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write s3://KEY:SECRET@bucket.`,
    )
  }
  const region = url.searchParams.get('region') ?? 'us-east-1'
  const path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '')
  return {
    name: bucket,
    bucket: bucketUri(bucket, region, parseEndpoint(url.searchParams.get('endpoint'), example)),
    prefix: path === '' ? '' : `${path}/`,
    region,
    credentials: {
      accessKey: decodeURIComponent(url.username),
      secretKey: decodeURIComponent(url.password),
      sessionToken: url.searchParams.get('token') ?? undefined,
    },
  }
}

const parameters: ReadonlySet<string> = new Set(['endpoint', 'region', 'token'])

function parseEndpoint(endpoint: string | null, example: string): string | undefined {
  if (endpoint === null) return undefined
  if (/^https?:\/\/[^/?#@]+\/?$/.test(endpoint) && URL.canParse(endpoint)) return endpoint
  throw new StoreOpenError(`${example} The endpoint '${endpoint}' is not a scheme and a host.`)
}

/** Amazon wants the bucket in the host; other services have it in the path. */
function bucketUri(bucket: string, region: string, endpoint: string | undefined): URL {
  if (endpoint === undefined) {
    // The certificate of the host does not cover names with dots.
    const isHost = !bucket.includes('.')
    return new URL(
      isHost
        ? `https://${bucket}.s3.${region}.amazonaws.com`
        : `https://s3.${region}.amazonaws.com/${bucket}`,
    )
  }
  return new URL(bucket, endpoint)
}

/** The URL as it may be shown. */
function withoutUser(text: string): string {
  return text.replace(/\/\/[^/]*@/, '//').replace(/([?&]token=)[^&]*/, '$1…')
}
