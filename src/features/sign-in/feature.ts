/** Signing in and out on pages, with sessions in cookies. */

import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { checkSignIn } from './check-sign-in.ts'

export const signIn = {
  name: 'sign-in',
  definition: {
    options: ['signIn'],
    resolve({ options, accounts, faults }) {
      checkSignIn(options.signIn, accounts !== undefined, faults)
      return {}
    },
  } satisfies DefinitionPart,
  isUsed: ({ accounts }: Model) => accounts !== undefined,
  load: async () => (await import('./parts.ts')).signInParts,
}
