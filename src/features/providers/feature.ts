/** Sign-in with providers of OpenID Connect. */

import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { checkSignIn } from './check-providers.ts'

export const providers = {
  name: 'providers',
  definition: {
    options: ['signIn'],
    resolve: ({ options, accounts, faults }) => ({
      providers: checkSignIn(options.signIn, accounts, faults),
    }),
  } satisfies DefinitionPart,
  isUsed: ({ providers: declared }: Model) => declared.length > 0,
  load: async () => (await import('./parts.ts')).providersParts,
}
