/** The clients of the providers of a definition. */

import type { Variable } from '../../definition/provider.ts'
import type { OpeningService, ServicePart } from '../../requests/context/service-part.ts'
import { createOidcClient } from './oidc-client.ts'
import type { ProviderClient } from './provider-client.ts'
import { type ProviderModel, providerModels } from './provider-model.ts'

/** By name. The service does not start where a variable of the environment is missing. */
export const providerClients: ServicePart<ReadonlyMap<string, ProviderClient>> = {
  open: (service) =>
    new Map(
      providerModels.of(service.model).map((provider) => [provider.name, createClient(provider, service)]),
    ),
}

function createClient(provider: ProviderModel, { observe, now, variables }: OpeningService): ProviderClient {
  const resolve = (given: string | Variable): string => {
    const value = typeof given === 'string' ? given : variables?.get(given.variable)
    if (value !== undefined) return value
    throw new Error(`The provider '${provider.name}' needs the variable ${(given as Variable).variable}.`)
  }
  const { issuer } = provider
  const credentials = { clientId: resolve(provider.clientId), clientSecret: resolve(provider.clientSecret) }
  return createOidcClient({ issuer, ...credentials, observe, now })
}
