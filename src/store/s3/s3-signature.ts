/** AWS Signature Version 4, as S3 uses it: the fields that prove who sends a request. */

import { createHmac, hash } from 'node:crypto'
import type { S3Credentials } from './s3-url.ts'

export interface UnsignedRequest {
  readonly method: string
  readonly uri: URL
  /** Names in lower case. */
  readonly fields: Readonly<Record<string, string>>
  /** The SHA-256 digest of the content in hexadecimal. */
  readonly contentDigest: string
}

export interface Signer {
  readonly region: string
  readonly credentials: S3Credentials
  /** The time of the request in milliseconds. */
  readonly now: number
}

/** All fields of the signed request. */
export function signRequest(request: UnsignedRequest, signer: Signer): Record<string, string> {
  const { method, uri, contentDigest } = request
  const { region, credentials, now } = signer
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const fields: Record<string, string> = {
    ...request.fields,
    host: uri.host,
    'x-amz-content-sha256': contentDigest,
    'x-amz-date': time,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  }
  const names = Object.keys(fields).sort()
  const canonical = [
    method,
    uri.pathname,
    canonicalQuery(uri),
    ...names.map((name) => `${name}:${fields[name]?.trim()}`),
    '',
    names.join(';'),
    contentDigest,
  ].join('\n')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical, 'hex')].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(keyed, `AWS4${credentials.secretKey}`)
  const signature = keyed(key, text).toString('hex')
  const credential = `Credential=${credentials.accessKey}/${scope}`
  return {
    ...fields,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

function keyed(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
}

/** RFC 3986 §2.3: all but unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
