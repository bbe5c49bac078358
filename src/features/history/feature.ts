/** The former versions of an item, below it: a list of them, and each by itself. */

import type { DefinitionPart } from '../../definition/definition-part.ts'
import { checkHistory } from './check-history.ts'

export const history = {
  name: 'history',
  definition: { options: ['history'], checkResource: checkHistory } satisfies DefinitionPart,
}
