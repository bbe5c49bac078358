/** A provider of a definition, checked. */

import { ModelPart } from '../../definition/model-part.ts'
import type { Variable } from '../../definition/provider.ts'

export interface ProviderModel {
  readonly name: string
  readonly kind: 'oidc' | 'github'
  /** The issuer of tokens, or the URL of GitHub. */
  readonly issuer: string
  readonly clientId: string | Variable
  readonly clientSecret: Variable
  readonly provision: boolean
}

/** The providers that people sign in with. */
export const providerModels = new ModelPart<readonly ProviderModel[]>()
