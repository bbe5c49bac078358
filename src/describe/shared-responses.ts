/** Answers that are the same for every resource, and so are described once. */

import type { JsonSchema } from '../definition/model.ts'
import type { Components } from './components.ts'
import { type HeaderName, headerReferences } from './response-headers.ts'

interface SharedResponse {
  readonly description: string
  readonly headers: readonly HeaderName[]
  readonly content?: JsonSchema
}

const paging: readonly HeaderName[] = ['Preference-Applied', 'Total-Count']
const shown: readonly HeaderName[] = ['ETag', 'Link', 'Accept-Ranges', 'Content-Location']

const sharedResponses = {
  Moved: {
    description: 'The item has another URI now.',
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
    description: 'What the client has is still current.',
    headers: ['ETag', 'Content-Location', 'Last-Modified', 'Preference-Applied'],
  },
  Done: {
    description: 'Done. There is nothing to show, or the caller may not see it.',
    headers: ['Accept-Ranges', 'ETag', 'Last-Modified', 'Preference-Applied'],
  },
  HeadOfCollection: {
    description: 'The header fields of a page.',
    headers: [...shown, ...paging],
  },
  HeadOfItem: {
    description: 'The header fields of the item.',
    headers: [...shown, 'Last-Modified', 'Preference-Applied'],
  },
  HeadOfDocument: { description: 'The header fields of the document.', headers: shown },
  OptionsOfCollection: {
    description: 'The methods, the same for every caller.',
    headers: ['Allow', 'Accept-Post', 'Accept-Query'],
  },
  OptionsOfItem: {
    description: 'The methods, the same for every caller.',
    headers: ['Allow', 'Accept-Patch'],
  },
  OptionsOfDocument: { description: 'The methods.', headers: ['Allow'] },
} as const satisfies Record<string, SharedResponse>

export type SharedResponseName = keyof typeof sharedResponses

/** A reference to the answer. */
export function sharedResponseReference(
  components: Components,
  name: SharedResponseName,
): JsonSchema {
  return components.refer('responses', name, () => {
    const { headers, ...answer }: SharedResponse = sharedResponses[name]
    return { ...answer, headers: headerReferences(components, headers) }
  })
}
