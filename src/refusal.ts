/**
 * The one way to stop a request early, and the closed catalogue of problem types (RFC 9457) it
 * draws on. A type is for ever: entries are added, never renamed or given another status.
 */

import type { ResponseFields } from './http/message.ts'

export interface ProblemType {
  readonly status: number
  readonly title: string
  readonly cause: string
  readonly remedy: string
}

/** One fault of the content, at its place (RFC 6901 pointer). */
export interface ContentFault {
  readonly pointer: string
  readonly rule: string
  readonly detail: string
}

/** How many faults are collected: enough to mend content by, and no more work than that. */
export const maxFaults = 1000

export interface RefusalOptions {
  readonly detail?: string
  readonly errors?: readonly ContentFault[]
  /** Header fields this refusal owes, such as Allow with 405. */
  readonly fields?: ResponseFields
  /** Further members of the problem, such as the transitions open now. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/**
 * The client's request is refused. Thrown by decisions, caught once by the journey's caller. No
 * Error, for nothing is wrong here: to note where it was made would cost more than all the rest.
 */
export class Refusal {
  readonly name = 'Refusal'
  readonly message: string
  readonly cause: unknown
  readonly type: ProblemName
  readonly status: number
  readonly options: RefusalOptions
  /** The decision that refused; the journey fills it in for logs and tests. */
  decision: string | undefined

  constructor(type: ProblemName, options: RefusalOptions) {
    this.message = options.detail ?? problemTypes[type].title
    this.cause = options.cause
    this.type = type
    this.status = problemTypes[type].status
    this.options = options
    this.decision = undefined
  }
}

/** `throw refuse('not-found')`: makes the refusal, so that the throw stands where control leaves. */
export function refuse(type: ProblemName, options: RefusalOptions = {}): Refusal {
  return new Refusal(type, options)
}

/** 503; the wait is jittered, so that clients do not all come back at once. */
export function unavailable(detail: string, cause?: unknown): Refusal {
  const seconds = 1 + Math.floor(Math.random() * 5)
  return refuse('unavailable', { detail, cause, fields: { 'Retry-After': String(seconds) } })
}

export type ProblemName = keyof typeof catalogue

const catalogue = {
  'malformed-request': {
    status: 400,
    title: 'Malformed request',
    cause: 'The request line, the target or a header field does not follow HTTP.',
    remedy: 'Correct what the detail names. Most HTTP libraries never produce such a request.',
  },
  'malformed-content': {
    status: 400,
    title: 'Malformed content',
    cause: 'The content is missing, or is not well-formed in its own media type.',
    remedy: 'Send what the Content-Type says; the detail names the place where it went wrong.',
  },
  'unknown-parameter': {
    status: 400,
    title: 'Unknown parameter',
    cause: 'The query has a parameter, an operator or a field that this collection does not know.',
    remedy: 'Check the spelling; the detail suggests the nearest name where there is one.',
  },
  'invalid-parameter': {
    status: 400,
    title: 'Invalid parameter',
    cause: 'A query parameter has a value of the wrong form, or is given twice.',
    remedy: 'Send one value of the form that the detail names.',
  },
  'invalid-cursor': {
    status: 400,
    title: 'Invalid cursor',
    cause: 'The cursor was not issued for this collection, order and filter.',
    remedy: 'Follow the next and prev links as they are, or begin again without a cursor.',
  },
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    cause: 'The request has no credentials, or they are not valid.',
    remedy: 'Send an Authorization field in one of the schemes that WWW-Authenticate names.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    cause: 'The caller is known, and may not do this.',
    remedy: 'Ask for the right, or use an account that has it.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    cause: 'Nothing is here that this caller may see.',
    remedy: 'Check the path, and the credentials if the resource is not public.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    cause: 'The resource does not support this method.',
    remedy: 'Use one of the methods in the Allow field.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    cause: 'No representation of the resource satisfies the Accept fields of the request.',
    remedy: 'Accept one of the media types that the problem lists.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    cause: 'The request did not arrive whole in the time the service waits.',
    remedy: 'Send it again on a new connection.',
  },
  duplicate: {
    status: 409,
    title: 'Duplicate',
    cause: 'A value that must be unique is already taken.',
    remedy: 'Choose another value for the field that the pointer names.',
  },
  'state-conflict': {
    status: 409,
    title: 'State conflict',
    cause: 'The item cannot go from its present state to the one asked for.',
    remedy:
      'Take one of the transitions that the problem lists as open now, or first do what the detail says.',
  },
  referenced: {
    status: 409,
    title: 'Still referenced',
    cause: 'Other items refer to this one, so it cannot be deleted.',
    remedy: 'Delete or change the items that refer to it first.',
  },
  'patch-test-failed': {
    status: 409,
    title: 'Patch test failed',
    cause: 'A test of the JSON Patch failed, or one of its paths does not exist.',
    remedy: 'Get the item again and make the patch from what it shows now.',
  },
  'request-in-progress': {
    status: 409,
    title: 'Request in progress',
    cause: 'A request with the same Idempotency-Key is still being processed.',
    remedy: 'Wait and send it again; the stored answer will be replayed.',
  },
  gone: {
    status: 410,
    title: 'Gone',
    cause: 'The item was here and has been deleted.',
    remedy: 'Remove links to it. It does not come back.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition failed',
    cause: 'The item is not in the state that the conditional fields of the request demand.',
    remedy: 'Get the item again, apply the change to what it shows now, send the new entity tag.',
  },
  'content-too-large': {
    status: 413,
    title: 'Content too large',
    cause: 'The content is larger than the service takes.',
    remedy: 'Send less at once; the detail names the limit.',
  },
  'uri-too-long': {
    status: 414,
    title: 'URI too long',
    cause: 'The request target is longer than the service reads.',
    remedy: 'Shorten the query, or send it as the content of a QUERY request.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    cause: 'The Content-Type is missing, or names a media type that is not taken here.',
    remedy: 'Send one of the media types that the Accept field of the response lists.',
  },
  'unsupported-content-coding': {
    status: 415,
    title: 'Unsupported content coding',
    cause: 'The Content-Encoding names a coding that is not taken here.',
    remedy: 'Send one of the codings in the Accept-Encoding field of the response, or none.',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation failed',
    cause: 'The Expect field asks for something other than 100-continue.',
    remedy: 'Send the request without it.',
  },
  'invalid-content': {
    status: 422,
    title: 'Invalid content',
    cause: 'The content is well-formed, and does not satisfy the rules of its fields.',
    remedy: 'Correct every place that the errors point to.',
  },
  'key-reused': {
    status: 422,
    title: 'Idempotency key reused',
    cause: 'The Idempotency-Key was used before with other content.',
    remedy: 'Make a new key for each new request; repeat a key only with the same content.',
  },
  'precondition-required': {
    status: 428,
    title: 'Precondition required',
    cause: 'Writes to this resource must be conditional, so that no update is lost.',
    remedy: 'Get the item and send its entity tag in If-Match.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    cause: 'The caller has used up its allowance for now.',
    remedy: 'Wait as long as Retry-After says.',
  },
  'header-fields-too-large': {
    status: 431,
    title: 'Header fields too large',
    cause: 'The header section has too many fields or too many octets.',
    remedy: 'Send fewer or shorter fields; cookies are the usual cause.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    cause: 'The service failed in a way that is its own fault.',
    remedy: 'Report the instance to the operator, who finds the cause in the log under it.',
  },
  'not-implemented': {
    status: 501,
    title: 'Not implemented',
    cause: 'The method, or a transfer coding, is unknown to this service.',
    remedy: 'Use a method of HTTP; method names are case-sensitive.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    cause: 'The service is starting, stopping, overloaded, or cannot reach its database.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'http-version-not-supported': {
    status: 505,
    title: 'HTTP version not supported',
    cause: 'The request is in a major version of HTTP other than 1.',
    remedy: 'Use HTTP/1.1.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Insufficient storage',
    cause: 'The disk of the service is full, so nothing can be written for now.',
    remedy: 'Send the request again later. Reading still works.',
  },
} as const satisfies Record<string, ProblemType>

export const problemTypes: Readonly<Record<ProblemName, ProblemType>> = Object.freeze(catalogue)

/** Refuses with every fault at its place. */
export function invalidContent(errors: readonly ContentFault[]) {
  const places = errors.length === 1 ? 'One place is' : `${errors.length} places are`
  return refuse('invalid-content', { detail: `${places} at fault.`, errors })
}
