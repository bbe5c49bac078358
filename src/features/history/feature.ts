/** The former versions of an item, below it: a list of them, and each by itself. */

import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { checkHistory } from './check-history.ts'

export const history = {
  name: 'history',
  definition: { options: ['history'], checkResource: checkHistory } satisfies DefinitionPart,
  isUsed: ({ resources }: Model) => resources.values().some((resource) => resource.history !== undefined),
  load: async () => (await import('./parts.ts')).historyParts,
}
