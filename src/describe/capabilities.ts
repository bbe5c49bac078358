/** What the rooms above offer, handed down so that a description is made from their own tables. */

import type { JsonSchema, ResourceModel } from '../definition/model.ts'

export interface Capabilities {
  /** Authentication schemes as their specifications spell them, in the order of challenges. */
  readonly schemes: readonly string[]
  /** Media types by what they show, the one first that a client gets that does not say. */
  readonly formats: Readonly<Record<'item' | 'collection' | 'problem', readonly FormatCapability[]>>
  /** The media types that content of the method may have. */
  acceptedTypes(
    method: 'POST' | 'PUT' | 'PATCH' | 'QUERY',
    resource: ResourceModel,
  ): readonly string[]
  /** How many items one POST may bring, where a resource takes many. */
  readonly maxBulkItems: number
  readonly documents: readonly DocumentCapability[]
}

export interface FormatCapability {
  /** What `?format=` calls it. */
  readonly name: string
  readonly mediaType: string
}

/** One of the service's own resources that is no collection. */
export interface DocumentCapability {
  /** Such as `/problems/{type}`. */
  readonly route: string
  readonly summary: string
  readonly formats: readonly FormatCapability[]
  readonly schema: JsonSchema
  /** What its variable part may be; undefined where it has none, or any text will do. */
  readonly parameter: JsonSchema | undefined
  /** Who may see it; undefined: everyone. */
  readonly audience: 'admin' | undefined
}
