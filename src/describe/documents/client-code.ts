/** /client.js and /client.d.ts: code on demand, a client for this service and its TypeScript declarations. */

import { scriptFormats, typesFormats } from '../../formats/text-documents.ts'
import type { Document } from '../../requests/context/target.ts'
import { clientScript, clientTypePieces } from '../client-source.ts'
import { cachedDocument } from '../document-cache.ts'
import { audienceKey } from '../permitted-resources.ts'

export const clientModule: Document = {
  route: '/client.js',
  summary: 'A client for this service: one ES module without imports',
  schema: { type: 'string' },
  personal: false,
  describesInterface: true,
  formats: scriptFormats,
  load: ({ service: { model } }) => ({ data: clientScript(model) }),
}

export const clientTypes: Document = {
  route: '/client.d.ts',
  summary: 'The TypeScript declarations of the client, for what the caller may see',
  schema: { type: 'string' },
  personal: true,
  describesInterface: true,
  formats: typesFormats,
  async load({ service: { model }, caller }) {
    const types = () => clientTypePieces(model, caller)
    return { data: await cachedDocument(model, `client ${audienceKey(caller)}`, types) }
  },
}
