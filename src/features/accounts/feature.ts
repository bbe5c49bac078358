/** Accounts: their passwords and tokens, and what a caller changes of its own. */

import type { DefinitionPart } from '../../definition/definition-part.ts'

export const accounts = {
  name: 'accounts',
  definition: { options: ['accounts'] } satisfies DefinitionPart,
}
