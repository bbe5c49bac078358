/** Parses single values of the configuration. Each function adds a fault when its text is not valid. */

import { availableParallelism } from 'node:os'
import { defaultLimits } from './context/service-context.ts'
import { isPostgresUrl } from './store/postgres/connection/database-url.ts'

export function parseSwitch(name: string, text: string | undefined, faults: string[]): boolean {
  if (text === undefined || text === 'on') return true
  if (text !== 'off') faults.push(`${name} must be 'on' or 'off', not '${text}'.`)
  return false
}

const minPageOctets = 10_000
const maxPageOctets = 64_000_000

export function parsePageOctets(text: string | undefined, faults: string[]): number {
  if (text === undefined) return defaultLimits.page
  const octets = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (octets < minPageOctets || octets > maxPageOctets) {
    const range = `${minPageOctets} to ${maxPageOctets}`
    faults.push(`RESTWELL_PAGE_OCTETS must be a number from ${range}, not '${text}'.`)
  }
  return octets
}

/** Undefined where there is none. An `s3:` URL gets what it lacks from the defaults. */
export function parseFilesUrl(
  text: string | undefined,
  defaults: S3Defaults,
  faults: string[],
): string | undefined {
  if (text === undefined || /^file:(?!:memory:$)./.test(text)) return text
  if (/^s3:\/\/./.test(text) && URL.canParse(text)) return completeS3Url(new URL(text), defaults)
  faults.push(`The place of files must be 'file:' and a path, or 's3://' and a bucket, not '${text}'.`)
  return undefined
}

/** Used where an `s3:` URL does not say them. */
export interface S3Defaults {
  readonly accessKey: string | undefined
  readonly secretKey: string | undefined
  readonly token: string | undefined
  readonly region: string | undefined
  readonly endpoint: string | undefined
}

function completeS3Url(url: URL, { accessKey = '', secretKey = '', ...defaults }: S3Defaults): string {
  const { token, region, endpoint } = defaults
  if (url.username === '') {
    url.username = encodeURIComponent(accessKey)
    url.password = encodeURIComponent(secretKey)
    if (token) url.searchParams.set('token', token)
  }
  for (const [name, value] of Object.entries({ region, endpoint })) {
    if (value && !url.searchParams.has(name)) url.searchParams.set(name, value)
  }
  return url.href
}

export function parseRate(text: string, faults: string[]): number | 'off' {
  if (text === 'off') return 'off'
  const rate = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (rate < 1) faults.push(`RESTWELL_RATE must be 'off' or a number of requests per minute, not '${text}'.`)
  return rate
}

const maxWorkers = 256

/** `auto` is one worker per processor. */
export function parseWorkers(text: string, faults: string[]): number {
  if (text === 'auto') return availableParallelism()
  const workers = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (workers < 1 || workers > maxWorkers)
    faults.push(`The number of workers must be 'auto' or a number from 1 to ${maxWorkers}, not '${text}'.`)
  return workers
}

/** Returns the URL without a slash at its end. */
export function parsePublicUrl(text: string | undefined, faults: string[]): string | undefined {
  if (text === undefined || text === '') return undefined
  const url = URL.parse(text)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  if (isWeb && url.username + url.password + url.search + url.hash === '') {
    return url.href.replace(/\/+$/, '')
  }
  faults.push(`PUBLIC_URL must be a URL such as 'https://example.org', not '${text}'.`)
  return undefined
}

/** `page`, or the URL of a mail server. It may have a password, so it is not repeated in the fault. */
export function parseMailUrl(text: string | undefined, faults: string[]): string | undefined {
  if (text === undefined || text === '') return undefined
  const url = URL.parse(text)
  if (text === 'page' || (url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '')) return text
  faults.push("MAIL_URL must be a URL such as 'smtp://mail.example.org:587', or 'page'.")
  return undefined
}

export function parsePort(text: string, faults: string[]): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) faults.push(`The port must be a number from 0 to 65535, not '${text}'.`)
  return port
}

/** Separates URLs at commas that precede a scheme: the hosts of one URL are separated by commas too. */
export function parseReplicas(text: string, faults: string[]): readonly string[] {
  const urls = text.split(/,(?=\s*postgres(?:ql)?:)/).map((url) => url.trim())
  const replicas = urls.filter((url) => url !== '')
  for (const url of replicas.filter((url) => !isPostgresUrl(url))) {
    faults.push(`DATABASE_REPLICAS must be URLs such as 'postgres://…', not '${url}'.`)
  }
  return replicas
}
