/** The header fields that a resource declares for its responses (RFC 9110 §5.1, §5.5). */

import { isToken } from '../http/field-value.ts'
import type { FaultReport } from './definition-fault.ts'
import { formatValue } from './option-table.ts'

/** Names in small letters. The service sets these itself, and HTTP or a browser acts on them. */
const ownNames = new Set(
  `accept accept-encoding accept-patch accept-post accept-query accept-ranges age allow clear-site-data connection
  content-digest content-disposition content-encoding content-length content-location content-range
  content-security-policy content-type cross-origin-opener-policy cross-origin-resource-policy date deprecation
  etag expires keep-alive last-modified link location pragma preference-applied ratelimit ratelimit-policy
  referrer-policy repr-digest request-id retry-after server server-timing set-cookie strict-transport-security
  sunset te total-count trailer transfer-encoding upgrade vary via www-authenticate x-content-type-options x-sendfile`.split(
    /\s+/,
  ),
)

/** CORS, fields of proxies and uploads, and commands to the server in front. */
const ownBeginnings = ['access-control-', 'proxy-', 'sec-', 'upload-', 'x-accel-']

const mostFields = 20
const mostCharacters = 1000

/** The valid fields; reports the others. */
export function createHeaderFields(given: unknown, report: FaultReport): Readonly<Record<string, string>> {
  if (given === undefined) return {}
  const entries = Object.entries(given as object)
  if (entries.length > mostFields) report(`A resource has at most ${mostFields} header fields.`)
  const names = new Set<string>()
  const valid = entries.filter(([name, value]) => {
    const fault = faultOfName(name) ?? faultOfValue(value)
    const isTwice = names.has(name.toLowerCase())
    names.add(name.toLowerCase())
    if (fault) report(`The header field '${name}' ${fault}`)
    else if (isTwice) report(`The header field '${name}' is declared twice: capital letters do not matter.`)
    return !fault && !isTwice
  })
  return Object.freeze(Object.fromEntries(valid))
}

function faultOfName(name: string): string | undefined {
  if (!isToken(name)) return 'has no valid name: use letters, digits and hyphens.'
  const small = name.toLowerCase()
  if (small.endsWith('cache-control') || small === 'surrogate-control')
    return "decides what caches keep. Use the option 'cache' instead."
  const isOwn = ownNames.has(small) || ownBeginnings.some((beginning) => small.startsWith(beginning))
  return isOwn ? 'is set by the service itself.' : undefined
}

function faultOfValue(value: unknown): string | undefined {
  const isValid =
    typeof value === 'string' &&
    value.length <= mostCharacters &&
    /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  if (isValid) return undefined
  return `must have a text of 1 to ${mostCharacters} printable ASCII characters, not ${formatValue(value)}.`
}
