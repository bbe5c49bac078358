/** A feature: the parts that each layer asks of it. */

import type { DefinitionPart } from '../definition/definition-part.ts'

export interface Feature {
  /** The name of its folder. */
  readonly name: string
  readonly definition?: DefinitionPart
}
