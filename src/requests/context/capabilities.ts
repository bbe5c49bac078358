/** The features of the service that descriptions list, taken from the tables that implement them. */

import type { InterfaceVersion } from '../../definition/interface-version.ts'
import type { JsonSchema, Model, ResourceModel } from '../../definition/model.ts'
import type { Rule } from '../../definition/rule.ts'
import type { ContentKind, OperationKind } from './operations.ts'

export interface Capabilities {
  /** Names of authentication schemes, in the order of challenges. */
  readonly schemes: readonly string[]
  /** Formats of responses; the first is the default. */
  readonly formats: Readonly<
    Record<'item' | 'collection' | 'aggregate' | 'problem' | 'document' | 'rows', readonly FormatCapability[]>
  >
  /** The format of the streams of changes that items and collections have besides. */
  readonly stream: FormatCapability
  /** Returns the media types of content. */
  acceptedTypes(content: ContentKind, resource: ResourceModel): readonly string[]
  /** The number of items in one POST to a resource with `bulk`. */
  readonly maxBulkItems: number
  readonly documents: readonly DocumentCapability[]
  /** The documents below an item, such as its history. */
  readonly itemDocuments: readonly DocumentCapability[]
}

/** The capabilities in an older version of the interface: its own media type, JSON and HAL. */
export function capabilitiesInVersion(
  capabilities: Capabilities,
  { name, mediaType }: InterfaceVersion,
): Capabilities {
  const inVersion = (formats: readonly FormatCapability[]) => [
    { name, mediaType },
    ...formats.filter((format) => format.name === 'json' || format.name === 'hal'),
  ]
  const { item, collection, aggregate, problem, document, rows } = capabilities.formats
  return {
    ...capabilities,
    formats: {
      item: inVersion(item),
      collection: inVersion(collection),
      aggregate: inVersion(aggregate),
      problem,
      document: [...document, { name, mediaType }],
      rows: [...rows, { name, mediaType }],
    },
    acceptedTypes: (content) =>
      content === 'patch'
        ? [mediaType, 'application/json', 'application/merge-patch+json', 'application/json-patch+json']
        : [mediaType, 'application/json'],
  }
}

export interface FormatCapability {
  /** Its name in `?format=`. */
  readonly name: string
  readonly mediaType: string
}

/** A document of the service itself. */
export interface DocumentCapability {
  /** Such as `/problems/{type}`. */
  readonly route: string
  readonly summary: string
  readonly formats: readonly FormatCapability[]
  readonly schema: JsonSchema
  /** The schema of its path parameter; undefined without one, or for any text. */
  readonly parameter: JsonSchema | undefined
  /** The names of its query parameters besides `format`. */
  readonly parameters: readonly string[]
  /** Its POST; undefined: none that is described. */
  readonly posted: PostCapability | undefined
  /** The rows of its operations. */
  readonly kind: OperationKind
  /** Undefined: every caller may see it. */
  readonly audience: 'admin' | undefined
  /** The methods of a route beside OPTIONS; undefined: all of its kind. */
  readonly methods: readonly string[] | undefined
  /** Who may use a route. */
  readonly by: Rule | undefined
}

export interface PostCapability {
  readonly summary: string
  /** Returns the schema of its content. */
  contentOf(model: Model): JsonSchema
  /** The schema of the response; undefined: it has no content. */
  readonly response?: JsonSchema
  readonly status: number
}
