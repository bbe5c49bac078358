/** Answers that are the same for every resource, and so are described once. */

import type { JsonSchema } from '../declare/model.ts'
import { headersOf } from './headers.ts'

/** A part of `components.responses`. */
export const answerComponents: JsonSchema = {
  Moved: {
    description: 'The item has another URI now.',
    headers: headersOf(['Location']),
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
    description: 'What the client has is still so.',
    headers: headersOf(['ETag', 'Content-Location', 'Last-Modified', 'Preference-Applied']),
  },
  Done: {
    description: 'Done. There is nothing to show, or the caller may not see it.',
    headers: headersOf(['Accept-Ranges', 'ETag', 'Last-Modified', 'Preference-Applied']),
  },
}
