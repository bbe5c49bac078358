/** Checks definitions with the parts of all features. */

import { createModel } from '../definition/check-definition.ts'
import type { Model } from '../definition/model.ts'
import { features } from './features.ts'

/**
 * Returns the Model of a definition; throws DefinitionFault with all its faults. `mountedAt` overrides
 * the base of the definition.
 */
export function checkDefinition(definition: unknown, mountedAt?: string): Model {
  return createModel(definition, definitionParts, mountedAt)
}

const definitionParts = features.flatMap(({ definition }) => definition ?? [])
