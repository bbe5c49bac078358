/** Routes of a definition, checked. */

import type { ParsePayload, SignatureModel } from '../../definition/logic/signature.ts'
import type { Model } from '../../definition/model.ts'
import { ModelPart } from '../../definition/model-part.ts'
import type { Variable } from '../../definition/provider.ts'
import type { Rule } from '../../definition/rule.ts'

export interface RouteModel {
  /** Below the base, such as `/hooks/stripe`. */
  readonly path: string
  readonly methods: readonly string[]
  readonly by: Rule
  readonly verify: VerifierModel | VerifyingCode | undefined
  readonly once: ((event: unknown) => unknown) | undefined
  /** In octets. */
  readonly maxSize: number
  /** Whether the session cookie counts. Then the code writes only with unsafe methods. */
  readonly cookie: boolean
  /** Milliseconds of the code, without its calls of the store. */
  readonly time: number
  readonly run: (request: Request, tools: unknown) => unknown
}

/** Code that returns the event of a request, or undefined for one that is not genuine. */
export type VerifyingCode = (request: Request, tools: unknown) => unknown

/** A declared signature, with the variables of its secrets. */
export interface VerifierModel extends SignatureModel {
  readonly secrets: readonly Variable[]
  readonly parse: ParsePayload | undefined
}

/** Paths whose code gets requests as they were sent. */
export const routeModels = new ModelPart<readonly RouteModel[]>()

/** The verifiers whose secrets are variables, not those in code. */
export function declaredVerifiers(model: Model): readonly VerifierModel[] {
  return routeModels.of(model).flatMap(({ verify }) => (typeof verify === 'object' ? [verify] : []))
}
