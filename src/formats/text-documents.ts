/** Formats of documents that are already text, such as OpenAPI, schemas and the client. */

import type { View } from '../views/view.ts'
import type { Format } from './format.ts'

/** A format that writes the text of a document unchanged. */
function verbatim(name: string, mediaType: string): Format {
  return { name, mediaType, viewKinds: new Set(['document']), write: writeVerbatim }
}

function writeVerbatim(view: View): string | Uint8Array {
  if (view.kind === 'document' && view.octets) return view.octets
  if (view.kind === 'document' && typeof view.data === 'string') return view.data
  throw new Error('Only a document that is text can be written verbatim')
}

/** Browsers and tools understand the first; the second is the specific media type. */
export const openApiFormats = Object.freeze([
  verbatim('json', 'application/json'),
  verbatim('openapi', 'application/openapi+json'),
])
export const schemaFormats = Object.freeze([
  verbatim('schema', 'application/schema+json'),
  verbatim('json', 'application/json'),
])
/** RFC 9239 §6.1: the media type of JavaScript. */
export const scriptFormats = Object.freeze([verbatim('js', 'text/javascript;charset=utf-8')])
export const typesFormats = Object.freeze([verbatim('ts', 'application/typescript')])
