/** Signing in and out on pages, with sessions in cookies. */

import type { Model } from '../../definition/model.ts'

export const signIn = {
  name: 'sign-in',
  isUsed: ({ accounts }: Model) => accounts !== undefined,
  load: async () => (await import('./parts.ts')).signInParts,
}
