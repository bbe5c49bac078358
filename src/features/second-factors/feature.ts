/** Second factors of accounts: one-time passwords, passkeys and recovery codes. */

import type { DefinitionPart } from '../../definition/definition-part.ts'

export const secondFactors = {
  name: 'second-factors',
  definition: { options: ['accounts.secondFactor'] } satisfies DefinitionPart,
}
