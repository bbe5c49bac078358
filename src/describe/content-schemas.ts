/** The `content` of requests and responses in an OpenAPI document, by media type. */

import type { JsonSchema } from '../definition/model.ts'
import { maxOperations } from '../http/json-patch.ts'
import type { FormatCapability } from '../requests/context/capabilities.ts'
import type { Components } from './component-registry.ts'

export interface ContentSchema {
  /** The schema of the content as plain JSON. */
  readonly schema: JsonSchema
  readonly example?: unknown
}

/** Returns a `content` object: plain JSON exactly, formats on its basis as objects, and others as text. */
export function contentByMediaType(
  components: Components,
  formats: readonly Pick<FormatCapability, 'mediaType'>[],
  shape: ContentSchema,
): JsonSchema {
  return Object.fromEntries(
    formats.map(({ mediaType }) => [mediaType, describeMediaType(components, mediaType, shape)] as const),
  )
}

function describeMediaType(
  components: Components,
  mediaType: string,
  { schema, example }: ContentSchema,
): JsonSchema {
  if (exactMediaTypes.has(mediaType) || versionType.test(mediaType))
    return { schema, ...(example === undefined ? {} : { example }) }
  if (mediaType === 'application/json-patch+json')
    return {
      schema: components.refer('schemas', 'JsonPatch', () => jsonPatch),
    }
  // A type may have parameters, such as a profile.
  if (/\+json(?:;|$)/.test(mediaType)) return { schema: { type: 'object' } }
  return { schema: { type: 'string' } }
}

/** Media types whose content is exactly what the schema describes. */
const exactMediaTypes: ReadonlySet<string> = new Set([
  'application/json',
  'application/problem+json',
  'application/merge-patch+json',
  'application/schema+json',
  'application/openapi+json',
])

/** The media type of an older version of the interface. */
const versionType = /^application\/x\.[a-z0-9-]+\.[a-z0-9-]+\+json$/

/** RFC 6901; the root is the empty string. */
const pointer: JsonSchema = {
  type: 'string',
  pattern: '^(?:/(?:[^~/]|~[01])*)*$',
  maxLength: 10_000,
}

/** RFC 6902 §4: `needs` are the required members besides `op` and `path`. */
function operationSchema(ops: readonly string[], needs: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { op: { type: 'string', enum: ops }, path: pointer, ...needs },
    required: ['op', 'path', ...Object.keys(needs)],
  }
}

const jsonPatch: JsonSchema = {
  type: 'array',
  maxItems: maxOperations,
  items: {
    anyOf: [
      operationSchema(['add', 'replace', 'test'], { value: {} }),
      operationSchema(['remove'], {}),
      operationSchema(['move', 'copy'], { from: pointer }),
    ],
  },
}
