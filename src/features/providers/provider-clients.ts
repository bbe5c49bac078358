/** The clients of the providers of a definition. */

import type { Variable } from '../../definition/provider.ts'
import type { OpeningService, ServicePart } from '../../requests/context/service-part.ts'
import type { ProviderClient } from './code-flow.ts'
import { createProviderClient } from './code-flow.ts'
import { gitHub } from './github.ts'
import { openIdConnect } from './openid-connect.ts'
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
  const client = { id: resolve(provider.clientId), secret: resolve(provider.clientSecret) }
  const protocol = protocols[provider.kind](provider.issuer)
  return createProviderClient({ protocol, client, observe, now })
}

const protocols = { oidc: openIdConnect, github: gitHub } as const
