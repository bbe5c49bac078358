/** Sign-in with providers of OpenID Connect and with GitHub. */

import { type DefinitionPart, signInOption } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { checkProviders } from './check-providers.ts'
import { providerModels } from './provider-model.ts'

export const providers = {
  name: 'providers',
  definition: {
    options: ['signIn.providers'],
    resolve({ options, accounts, faults }) {
      const providers = checkProviders(signInOption(options, 'providers'), accounts, faults)
      return {
        accounts: { providers: providers.map(({ name }) => name) },
        model: providerModels.with(providers),
        variables: providers
          .flatMap(({ clientId, clientSecret }) => [clientId, clientSecret])
          .filter((one) => typeof one !== 'string'),
      }
    },
  } satisfies DefinitionPart,
  isUsed: (model: Model) => providerModels.of(model).length > 0,
  load: async () => (await import('./parts.ts')).providersParts,
}
