/** Routes of a definition, checked. */

import type { SignedParts } from '../../definition/logic/verify.ts'
import { ModelPart } from '../../definition/model-part.ts'
import type { Variable } from '../../definition/provider.ts'
import type { Rule } from '../../definition/rule.ts'

export interface RouteModel {
  /** Below the base, such as `/hooks/stripe`. */
  readonly path: string
  readonly methods: readonly string[]
  readonly by: Rule
  readonly verify: VerifierModel | undefined
  readonly once: ((event: unknown) => unknown) | undefined
  /** In octets. */
  readonly maxSize: number
  readonly run: (request: Request, tools: unknown) => unknown
}

/** A signature by HMAC: where its parts are, and what is signed. */
export interface VerifierModel {
  readonly scheme: 'stripe' | 'github' | 'standardWebhooks' | 'hmac'
  readonly secrets: readonly Variable[]
  /** Seconds that the signed time may be away from the present. */
  readonly tolerance: number
  readonly parse: ((payload: unknown) => unknown) | undefined
  /** The options of `hmac`. */
  readonly hmac: HmacModel | undefined
}

export interface HmacModel {
  readonly header: string
  readonly prefix: string
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly encoding: 'hex' | 'base64'
  readonly timestamp: string | undefined
  readonly id: string | undefined
  readonly type: string | undefined
  readonly signed: ((parts: SignedParts) => unknown) | undefined
}

/** Paths whose code gets requests as they were sent. */
export const routeModels = new ModelPart<readonly RouteModel[]>()
