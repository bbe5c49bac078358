/** The names of problems, as the client knows them: a generated client has this text. */

/**
 * The types of problems that the service has, as in `/problems`.
 * @example
 * import { isProblem, type ProblemName } from 'restwell/client'
 *
 * const passing: readonly ProblemName[] = ['too-many-requests', 'unavailable']
 * const mayTryAgain = (error: unknown) => passing.some((name) => isProblem(error, name))
 */
export type ProblemName =
  | 'malformed-request'
  | 'malformed-content'
  | 'unknown-parameter'
  | 'invalid-parameter'
  | 'invalid-cursor'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'request-timeout'
  | 'duplicate'
  | 'state-conflict'
  | 'referenced'
  | 'patch-test-failed'
  | 'request-in-progress'
  | 'mismatching-upload-offset'
  | 'completed-upload'
  | 'inconsistent-upload-length'
  | 'gone'
  | 'precondition-failed'
  | 'content-too-large'
  | 'quota-exceeded'
  | 'uri-too-long'
  | 'unsupported-media-type'
  | 'unsupported-content-coding'
  | 'range-not-satisfiable'
  | 'expectation-failed'
  | 'misdirected-request'
  | 'invalid-content'
  | 'batch-refused'
  | 'key-reused'
  | 'precondition-required'
  | 'too-many-requests'
  | 'header-fields-too-large'
  | 'internal-error'
  | 'not-implemented'
  | 'unavailable'
  | 'http-version-not-supported'
  | 'insufficient-storage'
