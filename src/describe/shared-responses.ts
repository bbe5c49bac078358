/** Responses that are the same for every resource, described once in an OpenAPI document. */

import type { JsonSchema } from '../definition/model.ts'
import { linksetType } from '../formats/linkset.ts'
import type { Components } from './component-registry.ts'
import { type HeaderName, headerReferences } from './response-headers.ts'

interface SharedResponse {
  readonly description: string
  readonly headers: readonly HeaderName[]
  readonly content?: JsonSchema
}

/** RFC 9264 §4.2: contexts, whose other members are relations with their targets. */
const linksetSchema: JsonSchema = {
  type: 'object',
  properties: {
    linkset: {
      type: 'array',
      items: {
        type: 'object',
        properties: { anchor: { type: 'string', format: 'uri-reference' } },
        required: ['anchor'],
      },
    },
  },
  required: ['linkset'],
}

const sharedResponses = {
  Moved: {
    description: 'The item has a new URI.',
    headers: ['Location'],
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { location: { type: 'string', format: 'uri-reference' } },
          required: ['location'],
        },
      },
    },
  },
  Linkset: {
    description: 'The links: the formats, then the others (RFC 9264).',
    headers: ['ETag'],
    content: { [linksetType]: { schema: linksetSchema } },
  },
  NotModified: {
    description: 'The cached representation is current.',
    headers: ['ETag', 'Last-Modified', 'Preference-Applied', 'Total-Count'],
  },
  Done: {
    description: 'Done, without content.',
    headers: ['ETag', 'Last-Modified', 'Preference-Applied'],
  },
} as const satisfies Record<string, SharedResponse>

type SharedResponseName = keyof typeof sharedResponses

/** Returns a reference to the response. */
export function sharedResponseReference(components: Components, name: SharedResponseName): JsonSchema {
  return components.refer('responses', name, () => {
    const { headers, ...response }: SharedResponse = sharedResponses[name]
    return { ...response, headers: headerReferences(components, headers) }
  })
}
