/** /batch: takes several requests, which are performed in one transaction or not at all. */

import type { JsonSchema } from '../../definition/model.ts'
import type { Document } from '../context/target.ts'
import { headerNames, maxBatchEntries } from './batch-content.ts'

const text: JsonSchema = { type: 'string' }
const textMembers: JsonSchema = { type: 'object', additionalProperties: text }

/** Names of header fields have no letter case (RFC 9110 §5.1). */
function anyCasePattern(names: readonly string[]): string {
  const letters = names.join('|').replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
  return `^(?:${letters})$`
}

const entrySchema: JsonSchema = {
  type: 'object',
  required: ['path'],
  properties: {
    id: text,
    method: { enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
    path: { type: 'string', pattern: '^/' },
    headers: {
      type: 'object',
      propertyNames: { pattern: anyCasePattern([...headerNames]) },
      additionalProperties: text,
    },
    body: {},
    bind: { ...textMembers, propertyNames: { pattern: '^/' } },
  },
  additionalProperties: false,
}

const responseSchema: JsonSchema = {
  type: 'object',
  required: ['status', 'headers'],
  properties: { id: { type: 'string' }, status: { type: 'integer' }, headers: textMembers, body: {} },
}

export const batch: Document = {
  route: '/batch',
  showsItems: true,
  name: 'batch',
  summary: 'How to send several requests in one transaction',
  schema: { type: 'object' },
  personal: true,
  cache: 'no-store',
  operations: 'batch',
  posted: {
    summary: 'Perform several requests in one transaction, or none of them',
    content: {
      type: 'object',
      required: ['requests'],
      properties: { requests: { type: 'array', minItems: 1, maxItems: maxBatchEntries, items: entrySchema } },
      additionalProperties: false,
    },
    response: {
      type: 'object',
      required: ['responses'],
      properties: { responses: { type: 'array', items: responseSchema } },
    },
  },
  load: () => ({
    data: {
      title: 'Batch',
      description:
        'POST {"requests": […]} here: all requests are performed in one transaction, or none of them.',
      maxRequests: maxBatchEntries,
    },
  }),
}
