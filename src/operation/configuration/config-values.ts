/** Parses single values of the configuration. Each function adds a fault when its text is not valid. */

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isLoopback, type Networks, noNetworks, parseNetworks } from '../../http/ip-network.ts'
import { defaultLimits } from '../../requests/context/service-context.ts'
import { isPostgresUrl } from '../../store/postgres/connection/database-url.ts'
import { parseEncryptionKey } from '../../tools/value-encryption.ts'

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

/** The place of backups, with what an `s3:` URL does not say. */
export function completeBackupPlace(text: string, defaults: S3Defaults): string {
  return text.startsWith('s3://') && URL.canParse(text) ? completeS3Url(new URL(text), defaults) : text
}

/** Used where an `s3:` URL does not say them. */
export interface S3Defaults {
  readonly accessKey: string | undefined
  readonly secretKey: string | undefined
  readonly token: string | undefined
  readonly region: string | undefined
  readonly endpoint: string | undefined
}

/** The variables of Amazon's tools. */
export function s3Defaults(environment: Readonly<Record<string, string | undefined>>): S3Defaults {
  return {
    accessKey: environment.AWS_ACCESS_KEY_ID,
    secretKey: environment.AWS_SECRET_ACCESS_KEY,
    token: environment.AWS_SESSION_TOKEN,
    region: environment.AWS_REGION,
    endpoint: environment.AWS_ENDPOINT_URL_S3,
  }
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

/** The origin of a server on this machine. */
export function parseSite(text: string | undefined, faults: string[]): URL | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url?.protocol === 'http:' && isLoopback(url.hostname) && url.href === `${url.origin}/`) return url
  const example = 'http://localhost:5173'
  faults.push(`--site must be the development server on this machine, such as ${example}, not '${text}'.`)
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

/** The keys of the text, or of the file with such a text; none where neither is set. No fault repeats a key. */
export function parseSecretKeys(
  { text, file }: { readonly text: string | undefined; readonly file: string | undefined },
  faults: string[],
): readonly Uint8Array[] {
  if (text && file) faults.push('Set RESTWELL_SECRET_KEY or RESTWELL_SECRET_KEY_FILE, not both.')
  const found = file ? readKeyFile(file, faults) : text || undefined
  if (found === undefined) return []
  const keys = found.split(/[\s,]+/).flatMap((one) => (one === '' ? [] : [parseEncryptionKey(one)]))
  if (keys.length === 0 || keys.includes(undefined)) {
    const kinds = '32 octets in base64 or hexadecimal, or several such keys separated by commas'
    faults.push(`RESTWELL_SECRET_KEY must be ${kinds}. Make one with: openssl rand -base64 32`)
  }
  return keys.filter((key) => key !== undefined)
}

/** Undefined where the file cannot be read. */
function readKeyFile(file: string, faults: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    faults.push(`The file in RESTWELL_SECRET_KEY_FILE cannot be read: ${reason}`)
    return undefined
  }
}

/** The login and the password of `login:password`. */
export function parseAdmin(text: string | undefined, faults: string[]) {
  if (text === undefined) return undefined
  const colon = text.indexOf(':')
  if (colon < 1 || colon === text.length - 1) {
    faults.push("RESTWELL_ADMIN must be 'login:password'.")
    return undefined
  }
  return { login: text.slice(0, colon), password: text.slice(colon + 1) }
}

export function parseTrustedNetworks(texts: readonly string[], faults: string[]): Networks {
  const names = texts.flatMap((text) => text.split(',')).map((text) => text.trim())
  const networks = names.filter((name) => name !== '')
  for (const name of networks.filter((name) => !parseNetworks([name]))) {
    faults.push(`The network of a trusted proxy must be like 10.0.0.0/8 or ::1, not '${name}'.`)
  }
  return parseNetworks(networks) ?? noNetworks
}

/** Where spans are sent, and which ones. */
export interface TracingConfig {
  /** The URL of the collector. */
  readonly endpoint: string
  /** Fields of each request to it. */
  readonly fields: Readonly<Record<string, string>>
  /** The name of the service in traces. */
  readonly service: string
  /** The share of the traces that are recorded, from 0 to 1. */
  readonly ratio: number
  /** Whether a trace that began elsewhere is recorded as its `traceparent` says. */
  readonly followsParent: boolean
}

type TracingTexts = Readonly<
  Record<keyof Omit<TracingConfig, 'followsParent'> | 'sampler', string | undefined>
>

/** Undefined where no collector is named. */
export function parseTracing(texts: TracingTexts, faults: string[]): TracingConfig | undefined {
  const { endpoint, service = 'restwell', sampler = 'parentbased_always_on' } = texts
  if (endpoint === undefined || endpoint === '') return undefined
  if (!/^https?:\/\/./.test(endpoint) || !URL.canParse(endpoint)) {
    faults.push(`OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://localhost:4318, not '${endpoint}'.`)
  }
  const fields = parseCollectorFields(texts.fields ?? '', faults)
  const ratio = parseSampler(sampler, texts.ratio ?? '1', faults)
  return { endpoint, fields, service, ratio, followsParent: sampler.startsWith('parentbased_') }
}

/** `name=value` with percent-encoded values, separated by commas. */
function parseCollectorFields(text: string, faults: string[]): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  const fields = pairs.map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x7e]+)\s*$/.exec(pair))
  // The value may be a secret, so the message does not repeat it.
  if (fields.includes(null))
    faults.push("OTEL_EXPORTER_OTLP_HEADERS must be 'name=value', separated by commas.")
  return Object.fromEntries(
    fields.flatMap((field) => (field ? [[field[1], decodeValue(field[2] ?? '')]] : [])),
  )
}

function decodeValue(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A value with a plain percent sign.
    return text
  }
}

const samplers = ['always_on', 'always_off', 'traceidratio']

function parseSampler(sampler: string, argument: string, faults: string[]): number {
  const name = sampler.replace(/^parentbased_/, '')
  if (!samplers.includes(name)) {
    const known = samplers.flatMap((one) => [one, `parentbased_${one}`]).join(', ')
    faults.push(`OTEL_TRACES_SAMPLER must be one of ${known}, not '${sampler}'.`)
  }
  if (name !== 'traceidratio') return name === 'always_off' ? 0 : 1
  const ratio = /^(0|1|0?\.\d+|1\.0+)$/.test(argument) ? Number(argument) : Number.NaN
  if (Number.isNaN(ratio)) faults.push(`OTEL_TRACES_SAMPLER_ARG must be from 0 to 1, not '${argument}'.`)
  return ratio
}
