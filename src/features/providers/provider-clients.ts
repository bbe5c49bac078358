/** The clients of the providers of a definition. */

import type { Model } from '../../definition/model.ts'
import type { ProviderModel, Variable } from '../../definition/provider.ts'
import type { Observer } from '../../observation.ts'
import { createOidcClient } from './oidc-client.ts'
import type { ProviderClient } from './provider-client.ts'

export interface ProviderClientsOptions {
  readonly model: Model
  readonly observe: Observer
  readonly now: () => number
  /** The variables that the definition names. */
  readonly variables: ReadonlyMap<string, string> | undefined
}

/** The clients by name. Throws where a variable of the environment is missing. */
export function createProviderClients(options: ProviderClientsOptions): ReadonlyMap<string, ProviderClient> {
  return new Map(options.model.providers.map((provider) => [provider.name, createClient(provider, options)]))
}

function createClient(
  provider: ProviderModel,
  { observe, now, variables }: ProviderClientsOptions,
): ProviderClient {
  const resolve = (given: string | Variable): string => {
    const value = typeof given === 'string' ? given : variables?.get(given.variable)
    if (value !== undefined) return value
    throw new Error(`The provider '${provider.name}' needs the variable ${(given as Variable).variable}.`)
  }
  const { issuer } = provider
  const credentials = { clientId: resolve(provider.clientId), clientSecret: resolve(provider.clientSecret) }
  return createOidcClient({ issuer, ...credentials, observe, now })
}
