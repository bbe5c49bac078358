/** The requests that webhooks send, as OpenAPI describes them. */

import type { SentRequests } from '../../definition/built-in-table.ts'

/**
 * The request of every event: `data` is the change as in `/events`, only `event` and `href` where the item is large. It
 * has no `operationId`, which each event would repeat.
 */
export const sentChange: SentRequests = {
  name: 'SentChange',
  events: ['created', 'updated', 'deleted'],
  pathItem: {
    post: {
      summary: 'A change, signed by the rules of Standard Webhooks',
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                type: { type: 'string' },
                timestamp: { type: 'string', format: 'date-time' },
                data: {
                  type: 'object',
                  properties: {
                    event: { type: 'string', description: 'The same for every reader of the change.' },
                    type: { type: 'string' },
                    href: { type: 'string', format: 'uri-reference' },
                    version: { type: 'string' },
                    at: { type: 'string', format: 'date-time' },
                    item: { type: 'object' },
                  },
                },
              },
              required: ['type', 'timestamp', 'data'],
            },
          },
        },
      },
      responses: {
        '2XX': { description: 'Received. After any other status the request is repeated.' },
      },
    },
  },
}
