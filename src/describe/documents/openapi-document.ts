/** /openapi.json: the OpenAPI description of what the caller may see. */

import { openApiFormats } from '../../formats/text-documents.ts'
import type { Document } from '../../requests/context/target.ts'
import { cachedDocument } from '../document-cache.ts'
import { openApiPieces } from '../openapi.ts'
import { audienceKey } from '../permitted-resources.ts'

export const openApi: Document = {
  route: '/openapi.json',
  summary: 'The OpenAPI description of what the caller may see',
  schema: {
    type: 'object',
    properties: {
      openapi: { type: 'string' },
      info: { type: 'object' },
      paths: { type: 'object' },
    },
    required: ['openapi', 'info', 'paths'],
  },
  personal: true,
  describesInterface: true,
  formats: openApiFormats,
  async load({ service: { model, capabilities }, caller }) {
    const described = () => openApiPieces({ model, audience: caller, capabilities })
    return { data: await cachedDocument(model, `openapi ${audienceKey(caller)}`, described) }
  },
}
