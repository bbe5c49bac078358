/** Responses that are the same for every resource, described once in an OpenAPI document. */

import type { JsonSchema } from '../definition/model.ts'
import type { Components } from './component-registry.ts'
import { type HeaderName, headerReferences } from './response-headers.ts'

interface SharedResponse {
  readonly description: string
  readonly headers: readonly HeaderName[]
  readonly content?: JsonSchema
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
