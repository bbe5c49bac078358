/**
 * Refusals, which end a request with a problem (RFC 9457), and the catalogue of problem types.
 * Types are part of the interface: they are added, but never renamed or given another status. A refused batch alone has
 * the status of its part.
 */

import type { ResponseFields } from './http/message.ts'

export interface ProblemType {
  /** Its URI in the registry of IANA (RFC 9457 §4.2); undefined: it is a type of this service. */
  readonly registered?: string
  readonly status: number
  readonly title: string
  readonly cause: string
  readonly remedy: string
}

/** A fault in the content, with its place as a JSON Pointer (RFC 6901). */
export interface ContentFault {
  readonly pointer: string
  readonly rule: string
  readonly detail: string
}

/** The most faults that are collected, so that invalid content cannot cause unlimited work. */
export const maxFaults = 1000

export interface RefusalOptions {
  readonly detail?: string
  /** The field that the detail names in quotes first; an older version of the interface may have another name for it. */
  readonly namedField?: string
  readonly errors?: readonly ContentFault[]
  /** Header fields of the response, such as Allow with 405. */
  readonly fields?: ResponseFields
  /** Extension members of the problem (RFC 9457 §3.2), such as the possible transitions. */
  readonly members?: Readonly<Record<string, unknown>>
  /** In place of that of the type, where the problem is one of several parts of the request. */
  readonly status?: number
  readonly cause?: unknown
}

/**
 * Thrown to end a request with a problem; `service/service.ts` catches it. It is not an Error, because
 * capturing a stack trace would cost more than the rest of the response.
 */
export class Refusal {
  readonly name = 'Refusal'
  readonly message: string
  readonly cause: unknown
  readonly type: ProblemName
  readonly status: number
  readonly options: RefusalOptions
  /** The decision that refused, where the server refused before the pipeline; otherwise the trace has it. */
  decision: string | undefined

  constructor(type: ProblemName, options: RefusalOptions) {
    this.message = options.detail ?? problemTypes[type].title
    this.cause = options.cause
    this.type = type
    this.status = options.status ?? problemTypes[type].status
    this.options = options
    this.decision = undefined
  }
}

/** Creates a refusal: `throw refuse('not-found')`. */
export function refuse(type: ProblemName, options: RefusalOptions = {}): Refusal {
  return new Refusal(type, options)
}

/** Creates a 503 refusal. Retry-After is random, so that clients do not all return at once. */
export function unavailable(detail: string, cause?: unknown): Refusal {
  const seconds = 1 + Math.floor(Math.random() * 5)
  return refuse('unavailable', { detail, cause, fields: { 'Retry-After': String(seconds) } })
}

export type ProblemName = keyof typeof catalogue

/** The types that code of a definition may refuse with: those of a 4xx status. */
export type ClientProblemName = {
  [N in ProblemName]: `${(typeof catalogue)[N]['status']}` extends `4${string}` ? N : never
}[ProblemName]

const catalogue = {
  'malformed-request': {
    status: 400,
    title: 'Malformed request',
    cause: 'The request line, the target or a header field is not valid HTTP.',
    remedy: 'Correct the part that the detail names. HTTP libraries do not send such requests.',
  },
  'malformed-content': {
    status: 400,
    title: 'Malformed content',
    cause: 'The content is missing, or it is not well-formed in its media type.',
    remedy: 'Send content that matches the Content-Type. The detail names the place of the error.',
  },
  'unknown-parameter': {
    status: 400,
    title: 'Unknown parameter',
    cause: 'The query has a parameter, an operator or a field that does not exist here.',
    remedy: 'Check the spelling. The detail suggests the nearest name, or lists those that you may use.',
  },
  'invalid-parameter': {
    status: 400,
    title: 'Invalid parameter',
    cause: 'A query parameter has an invalid value, or it is repeated.',
    remedy: 'Send the parameter once, with a value that the detail describes.',
  },
  'invalid-cursor': {
    status: 400,
    title: 'Invalid cursor',
    cause: 'The cursor belongs to another collection, sort order or filter.',
    remedy: 'Follow the next and prev links unchanged, or start again without a cursor.',
  },
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    cause: 'The request has no credentials, or the credentials are not valid.',
    remedy: 'Send Authorization with one of the schemes in WWW-Authenticate.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    cause: 'Your account or token does not have permission to do this.',
    remedy: 'Use an account that has permission, or ask the operator for it.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    cause: "The resource doesn't exist, or you don't have access to it.",
    remedy:
      'Check the address; the detail may suggest another one. If the resource is not public, sign in or send credentials.',
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
    cause: 'The resource is not available in a format that the Accept fields allow.',
    remedy: 'Accept one of the media types that the problem lists.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    cause: 'The service did not receive the complete request in time.',
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
    cause: 'The item cannot change from its current state to the requested one.',
    remedy: 'Use one of the transitions that the problem lists, or follow the detail first.',
  },
  referenced: {
    status: 409,
    title: 'Still referenced',
    cause: 'Other items refer to this one, so it cannot be deleted.',
    remedy: 'First delete or change the items that refer to it.',
  },
  'patch-test-failed': {
    status: 409,
    title: 'Patch test failed',
    cause: 'A test of the JSON Patch failed, or one of its paths does not exist.',
    remedy: 'Get the item again and create the patch from its current state.',
  },
  'request-in-progress': {
    status: 409,
    title: 'Request in progress',
    cause: 'A request with the same Idempotency-Key is still being processed.',
    remedy: 'Wait, then send it again: you get the response to the first request.',
  },
  'mismatching-upload-offset': {
    registered: 'https://iana.org/assignments/http-problem-types#mismatching-upload-offset',
    status: 409,
    title: 'Mismatching upload offset',
    cause: 'The content does not begin where the upload ended.',
    remedy: 'Continue at the offset in Upload-Offset.',
  },
  'completed-upload': {
    registered: 'https://iana.org/assignments/http-problem-types#completed-upload',
    status: 400,
    title: 'Completed upload',
    cause: 'The upload is complete, so nothing can be added to it.',
    remedy: 'Send a new request to change the file.',
  },
  'inconsistent-upload-length': {
    registered: 'https://iana.org/assignments/http-problem-types#inconsistent-upload-length',
    status: 400,
    title: 'Inconsistent upload length',
    cause:
      'The request says another length of the whole file than an earlier one, or its content does not fit it.',
    remedy: 'Send the same length each time, or begin a new upload.',
  },
  gone: {
    status: 410,
    title: 'Gone',
    cause: 'The item existed and was deleted.',
    remedy: 'Remove links to it. The deletion is permanent.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition failed',
    cause: 'A condition of the request, such as If-Match, is false: the item has changed.',
    remedy: 'Get the item again, apply your change to it, and send its new entity tag.',
  },
  'content-too-large': {
    status: 413,
    title: 'Content too large',
    cause: 'The content is larger than the service accepts.',
    remedy: 'Send less at once. The detail names the limit.',
  },
  'quota-exceeded': {
    status: 413,
    title: 'Quota exceeded',
    cause: 'The files of your account would have more octets than it may store.',
    remedy: 'Remove files that you no longer need. The member `left` says how many octets you can store now.',
  },
  'uri-too-long': {
    status: 414,
    title: 'URI too long',
    cause: 'The request target is longer than the service accepts.',
    remedy: 'Shorten the query, or send it as the content of a QUERY request.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    cause: 'The Content-Type is missing, or it is a media type that is not accepted here.',
    remedy: 'Send one of the media types that the Accept field of the response lists.',
  },
  'unsupported-content-coding': {
    status: 415,
    title: 'Unsupported content coding',
    cause: 'The Content-Encoding is a coding that is not accepted here.',
    remedy: 'Send one of the codings in the Accept-Encoding field of the response, or none.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range not satisfiable',
    cause: 'The file has no octets in the range of the request.',
    remedy: 'Content-Range of the response has the length of the file. Ask for octets within it.',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation failed',
    cause: 'The Expect field has a value other than 100-continue.',
    remedy: 'Send the request without Expect.',
  },
  'misdirected-request': {
    status: 421,
    title: 'Misdirected request',
    cause: 'The target is an https URI, and the request did not arrive over TLS.',
    remedy: 'Connect with TLS, or send the path alone as the target.',
  },
  'invalid-content': {
    status: 422,
    title: 'Invalid content',
    cause: 'The content is well-formed, but its values are not valid.',
    remedy: 'Correct every value that the errors point to.',
  },
  'batch-refused': {
    status: 422,
    title: 'Batch refused',
    cause: 'A request of the batch was refused, so that none of them has an effect.',
    remedy: 'Correct the request at `index`, as its `problem` says, and send the whole batch again.',
  },
  'key-reused': {
    status: 422,
    title: 'Idempotency key reused',
    cause: 'The Idempotency-Key was used before with a different request.',
    remedy: 'Create a new key for each request. Repeat a key only with the same request.',
  },
  'precondition-required': {
    status: 428,
    title: 'Precondition required',
    cause: 'Changes to this resource must be conditional, so that no update is lost.',
    remedy: 'Get the item and send its entity tag in If-Match.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    cause: 'You sent more requests than the limit allows.',
    remedy: 'Wait for the time in Retry-After, then send the request again.',
  },
  'header-fields-too-large': {
    status: 431,
    title: 'Header fields too large',
    cause: 'The header section has too many fields, or it is too long.',
    remedy: 'Send fewer or shorter fields. Cookies are the usual cause.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    cause: 'The service has a fault.',
    remedy: 'Report the instance to the operator, who can find it in the log.',
  },
  'not-implemented': {
    status: 501,
    title: 'Not implemented',
    cause: 'The service does not know the method, or a transfer coding of the request.',
    remedy: 'Use a method of HTTP. Method names are case-sensitive.',
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
    cause: 'The major version of HTTP in the request is not 1.',
    remedy: 'Use HTTP/1.1.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Insufficient storage',
    cause: 'The disk of the service is full, so it cannot write.',
    remedy: 'Send the request again later. Reading still works.',
  },
} as const satisfies Record<string, ProblemType>

export const problemTypes: Readonly<Record<ProblemName, ProblemType>> = Object.freeze(catalogue)

/** Creates a 422 refusal that lists every fault. */
export function invalidContent(errors: readonly ContentFault[]): Refusal {
  const values = errors.length === 1 ? 'One value is' : `${errors.length} values are`
  return refuse('invalid-content', { detail: `${values} not valid.`, errors })
}
