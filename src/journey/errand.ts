/** What is asked, by whom, of what, and how it is to be shown: settled before anything is loaded. */

import type { Applicant } from '../access/hash-queue.ts'
import { callerName, type Principal } from '../access/principal.ts'
import type { Representation } from '../representations/representation.ts'
import type { Method } from './admission.ts'
import type { CodingChoice } from './coding.ts'
import type { Context } from './context.ts'
import type { IdempotencyKey } from './idempotency.ts'
import type { Preferences } from './preference.ts'
import type { Target } from './target.ts'

/** As far as it is known before the request's content is looked at. */
export interface Asked<T extends Target = Target> {
  readonly context: Context
  readonly who: Principal
  /** Where the client calls from. */
  readonly address: string
  readonly method: Method
  readonly target: T
  readonly format: Representation
  /** Scheme and authority by which the client came here. */
  readonly origin: string
  readonly coding: CodingChoice
  readonly preferences: Preferences
}

export interface Errand<T extends Target = Target> extends Asked<T> {
  readonly key?: IdempotencyKey
}

/** Whether the errand is at a target of this kind. */
export function isAt<Kind extends Target['kind']>(
  errand: Errand,
  kind: Kind,
): errand is Errand<Extract<Target, { readonly kind: Kind }>> {
  return errand.target.kind === kind
}

/** The caller as password hashing counts it. */
export function applicantOf({ who, address }: Errand): Applicant {
  return { address, caller: callerName(who, address) }
}
