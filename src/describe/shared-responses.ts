/** Responses that are the same for every resource, described once in an OpenAPI document. */

import type { JsonSchema } from '../definition/model.ts'
import type { Components } from './component-registry.ts'
import { type HeaderName, headerReferences } from './response-headers.ts'

interface SharedResponse {
  readonly description: string
  readonly headers: readonly HeaderName[]
  readonly content?: JsonSchema
}

const paging: readonly HeaderName[] = ['Preference-Applied', 'Total-Count']
const shown: readonly HeaderName[] = ['ETag']

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
  HeadOfCollection: {
    description: 'The header fields of a page.',
    headers: [...shown, ...paging],
  },
  HeadOfItem: {
    description: 'The header fields of the item.',
    headers: [...shown, 'Last-Modified', 'Preference-Applied'],
  },
  HeadOfFile: {
    description: 'The header fields of the file.',
    headers: ['ETag', 'Last-Modified', 'Repr-Digest', 'Content-Disposition'],
  },
  HeadOfDocument: { description: 'The header fields of the document.', headers: shown },
  OptionsOfCollection: {
    description: 'The methods of the resource, for every caller.',
    headers: ['Allow', 'Accept-Post', 'Accept-Query'],
  },
  OptionsOfItem: {
    description: 'The methods of the resource, for every caller.',
    headers: ['Allow', 'Accept-Patch'],
  },
  OptionsOfMember: { description: 'The methods of the member, for every caller.', headers: ['Allow'] },
  OptionsOfAction: {
    description: 'The methods of the action, for every caller.',
    headers: ['Allow', 'Accept-Post'],
  },
  OptionsOfFile: { description: 'The methods of the file, for every caller.', headers: ['Allow'] },
  OptionsOfDocument: { description: 'The methods of the document.', headers: ['Allow', 'Accept-Post'] },
} as const satisfies Record<string, SharedResponse>

export type SharedResponseName = keyof typeof sharedResponses

/** Returns a reference to the response. */
export function sharedResponseReference(components: Components, name: SharedResponseName): JsonSchema {
  return components.refer('responses', name, () => {
    const { headers, ...response }: SharedResponse = sharedResponses[name]
    return { ...response, headers: headerReferences(components, headers) }
  })
}
