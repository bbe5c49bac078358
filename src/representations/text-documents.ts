/** Documents that are text already, written as they are: descriptions and code. */

import type { View } from '../view/view.ts'
import type { Representation } from './representation.ts'

/** What the text is called depends on the document; its octets do not. */
function verbatim(name: string, mediaType: string): Representation {
  return { name, mediaType, shows: new Set(['document']), write: writeVerbatim }
}

function writeVerbatim(view: View): string | Uint8Array {
  if (view.kind === 'document' && view.octets) return view.octets
  if (view.kind === 'document' && typeof view.data === 'string') return view.data
  throw new Error('Only a document that is text can be written as it is')
}

/** The first is what browsers show and every tool takes; the second says what kind of JSON it is. */
export const openApiFormats = Object.freeze([
  verbatim('json', 'application/json'),
  verbatim('openapi', 'application/openapi+json'),
])
export const schemaFormats = Object.freeze([
  verbatim('schema', 'application/schema+json'),
  verbatim('json', 'application/json'),
])
/** RFC 9239: the one registered type of JavaScript. */
export const scriptFormats = Object.freeze([verbatim('js', 'text/javascript;charset=utf-8')])
export const typesFormats = Object.freeze([verbatim('ts', 'application/typescript')])
