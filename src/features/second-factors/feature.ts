/** Second factors of accounts: one-time passwords, passkeys and recovery codes. */

import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'

export const secondFactors = {
  name: 'second-factors',
  definition: { options: ['accounts.secondFactor'] } satisfies DefinitionPart,
  isUsed: ({ accounts }: Model) => accounts !== undefined,
  load: async () => (await import('./parts.ts')).secondFactorsParts,
}
