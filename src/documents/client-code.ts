/** /client.js and /client.d.ts: code on demand, a client for this service and its TypeScript declarations. */

import type { Document } from '../context/target.ts'
import { clientScript, clientTypePieces } from '../describe/client-source.ts'
import { cachedDocument } from '../describe/document-cache.ts'
import { audienceKey } from '../describe/permitted-resources.ts'
import { scriptFormats, typesFormats } from '../representations/text-documents.ts'

export const clientModule: Document = {
  route: '/client.js',
  summary: 'A client for this service: one ES module without imports',
  schema: { type: 'string' },
  personal: false,
  describesInterface: true,
  formats: scriptFormats,
  loadContent: async ({ model }) => clientScript(model),
}

export const clientTypes: Document = {
  route: '/client.d.ts',
  summary: 'The TypeScript declarations of the client, for what the caller may see',
  schema: { type: 'string' },
  personal: true,
  describesInterface: true,
  formats: typesFormats,
  loadContent: ({ model }, caller) =>
    cachedDocument(model, `client ${audienceKey(caller)}`, () => clientTypePieces(model, caller)),
}
