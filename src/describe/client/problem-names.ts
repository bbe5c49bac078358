/** The names of problems, from the catalogue. A generated client has them as text (client-source.ts). */

import type { problemTypes } from '../../refusal.ts'

/**
 * The types of problems that the service has, as in `/problems`.
 * @example
 * import { isProblem, type ProblemName } from 'restwell/client'
 *
 * const passing: readonly ProblemName[] = ['too-many-requests', 'unavailable']
 * const mayTryAgain = (error: unknown) => passing.some((name) => isProblem(error, name))
 */
export type ProblemName = keyof typeof problemTypes
