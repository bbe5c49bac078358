/** The requests that webhooks send, in the section `webhooks` of an OpenAPI document. */

import type { JsonSchema } from '../../definition/model.ts'
import type { AudienceResource } from '../../describe/permitted-resources.ts'
import { webhooksTable } from './webhooks-resource.ts'

const eventKinds = ['created', 'updated', 'deleted'] as const

/** The events by name, for an audience that may have webhooks; undefined for others. All refer to one path item. */
export function listSentEvents(parts: readonly AudienceResource[]): JsonSchema | undefined {
  const webhooks = parts.find(({ resource }) => resource.traits === webhooksTable)
  if (!webhooks || webhooks.may.create === 'never') return undefined
  const sending = parts.filter(({ resource, may }) => resource.declared && may.read !== 'never')
  const names = sending.flatMap(({ resource }) => eventKinds.map((kind) => `${resource.name}.${kind}`))
  return Object.fromEntries(names.map((name) => [name, { $ref: '#/components/pathItems/SentChange' }]))
}

/** The request of every event: `data` is the change as in `/events`, only `event` and `href` where the item is large. */
export const sentPathItems: JsonSchema = {
  SentChange: {
    post: {
      operationId: 'receiveChange',
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
