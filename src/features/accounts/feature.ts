/** Accounts: their passwords and tokens, and what a caller changes of its own. */

import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'

export const accounts = {
  name: 'accounts',
  definition: { options: ['accounts'] } satisfies DefinitionPart,
  isUsed: (model: Model) => model.accounts !== undefined,
  load: async () => (await import('./parts.ts')).accountsParts,
}
