/** /openapi.json: the OpenAPI description of what the caller may see. */

import type { Document } from '../context/target.ts'
import { cachedDocument } from '../describe/document-cache.ts'
import { openApiPieces } from '../describe/openapi.ts'
import { audienceKey } from '../describe/permitted-resources.ts'
import { openApiFormats } from '../representations/text-documents.ts'

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
  loadContent: (service, caller) =>
    cachedDocument(service.model, `openapi ${audienceKey(caller)}`, () =>
      openApiPieces({
        model: service.model,
        audience: caller,
        capabilities: service.capabilities,
      }),
    ),
}
