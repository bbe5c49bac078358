/**
 * The rules of RFC 9112 and RFC 9110 for requests that Node's parser does not check. The service
 * checks content and targets.
 */

import type { IncomingMessage } from 'node:http'
import { splitList } from '../http/field-value.ts'
import type { Fields } from '../http/message.ts'
import { isValidHost } from '../http/request-target.ts'
import { type ProblemName, type RefusalOptions, refuse } from '../refusal.ts'
import type { FieldSection } from './request-field-lines.ts'
import type { SocketLimits } from './socket-limits.ts'

export interface CheckedRequest {
  /** In origin-form, or `*`. */
  readonly target: string
  /** As received, except that Host is the authority of an absolute target. */
  readonly fields: Fields
}

export interface RequestRules {
  readonly limits: SocketLimits
  /** Whether the peer may send https URIs as targets: it uses TLS, or it is a trusted proxy. */
  servesHttps(): boolean
}

/** Returns the target and the fields. Refuses a request that breaks a rule, with the decision. */
export function checkRequest(
  incoming: IncomingMessage,
  headerSection: FieldSection,
  rules: RequestRules,
): CheckedRequest {
  requireVersion(incoming)
  requireSizes(incoming, headerSection, rules.limits)
  requireTransferCoding(incoming, headerSection.fields)
  if (headerSection.repeated !== undefined) {
    throw refusalAt('singleton', 'malformed-request', {
      detail: `The field '${headerSection.repeated}' must occur only once.`,
    })
  }
  requireHost(incoming, headerSection.fields)
  requireExpectation(incoming, headerSection.fields)
  return parseTargetForm(incoming, headerSection.fields, rules)
}

/** RFC 9110 §15.6.6. Node's parser accepts 0.9 and 2.0. */
function requireVersion(incoming: IncomingMessage): void {
  if (incoming.httpVersionMajor === 1) return
  throw refusalAt('version', 'http-version-not-supported', {})
}

function requireSizes(incoming: IncomingMessage, headerSection: FieldSection, limits: SocketLimits): void {
  if ((incoming.url ?? '').length > limits.target) {
    throw refusalAt('target-length', 'uri-too-long', {
      detail: `The target may have at most ${limits.target} octets.`,
    })
  }
  if (headerSection.count > limits.headerFields || headerSection.octets > limits.headerSection) {
    throw refusalAt('header-section', 'header-fields-too-large', {
      detail: `A request may have at most ${limits.headerFields} header fields with ${limits.headerSection} octets.`,
    })
  }
}

/** RFC 9112 §6.1 and §6.3: only `chunked` is supported, and only in HTTP/1.1. */
function requireTransferCoding(incoming: IncomingMessage, fields: Fields): void {
  const codings = fields['transfer-encoding']
  if (codings === undefined) return
  if (incoming.httpVersionMinor === 0) {
    throw refusalAt('transfer-coding', 'malformed-request', {
      detail: 'Transfer-Encoding is not allowed in HTTP/1.0.',
    })
  }
  const names = splitList(codings.toLowerCase())
  if (names.length === 1 && names[0] === 'chunked') return
  // The parser refuses `chunked` that is repeated or not last.
  throw refusalAt('transfer-coding', 'not-implemented', {
    detail: 'The only supported transfer coding is chunked.',
  })
}

/** RFC 9112 §3.2: exactly one valid Host; optional in HTTP/1.0. */
function requireHost(incoming: IncomingMessage, fields: Fields): void {
  const host = fields.host
  if (host === undefined && incoming.httpVersionMinor === 0) return
  if (host !== undefined && isValidHost(host)) return
  throw refusalAt('host', 'malformed-request', {
    detail: host === undefined ? 'The field Host is missing.' : 'The field Host is not valid.',
  })
}

/** RFC 9110 §10.1.1: Expect of HTTP/1.0 is ignored. */
function requireExpectation(incoming: IncomingMessage, fields: Fields): void {
  if (fields.expect === undefined || incoming.httpVersionMinor === 0) return
  const expectations = splitList(fields.expect.toLowerCase())
  if (expectations.every((expectation) => expectation === '100-continue')) return
  throw refusalAt('expectation', 'expectation-failed', {})
}

/** The forms of RFC 9112 §3.2, except authority-form, which only CONNECT uses. */
function parseTargetForm(incoming: IncomingMessage, fields: Fields, rules: RequestRules): CheckedRequest {
  const target = incoming.url ?? ''
  if (target.startsWith('/')) return { target, fields }
  if (target === '*') {
    if (incoming.method === 'OPTIONS') return { target, fields }
    throw refusalAt('target-form', 'malformed-request', {
      detail: 'Only OPTIONS may have the target *.',
    })
  }
  const absolute = /^(https?):\/\/([^/?#]*)(.*)$/i.exec(target)
  const [, scheme = '', authority = '', rest = ''] = absolute ?? []
  if (!isValidHost(authority)) {
    throw refusalAt('target-form', 'malformed-request', {
      detail: 'The target is neither a path nor a valid http URI.',
    })
  }
  // RFC 9110 §7.4: the origin of an https URI is reached over TLS only.
  if (scheme.toLowerCase() === 'https' && !rules.servesHttps()) {
    throw refusalAt('target-form', 'misdirected-request', {})
  }
  // §3.2.2: the authority of the target replaces Host.
  const named = Object.assign(Object.create(null), fields, { host: authority })
  // §3.2.4: OPTIONS of a URI without path and query is OPTIONS *.
  if (rest === '' && incoming.method === 'OPTIONS') return { target: '*', fields: named }
  return { target: rest.startsWith('/') ? rest : `/${rest}`, fields: named }
}

function refusalAt(decision: string, type: ProblemName, options: RefusalOptions) {
  const refusal = refuse(type, options)
  refusal.decision = decision
  return refusal
}
