/** The one ordered list of formats: the first is what a client gets that does not say. */

import type { View } from '../view/view.ts'
import { csv } from './csv.ts'
import { formContent } from './form-reader.ts'
import { hal, halForms } from './hal.ts'
import { html } from './html/html.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'
import { problem, problemXml } from './problem.ts'
import type { Representation } from './representation.ts'
import { xml } from './xml.ts'

export const formats: readonly Representation[] = Object.freeze([
  json,
  halForms,
  hal,
  xml,
  csv,
  ndjson,
  html,
  problem,
  problemXml,
  formContent,
])

/** What can show the kind of view, in the server's order of preference. */
export function formatsFor(kind: View['kind']): readonly Representation[] {
  return formats.filter((format) => format.shows.has(kind))
}

/** What content of a request may be in. */
export const readableFormats = formats.filter((format) => format.read !== undefined)

/** What content that is many items at once may be in, besides. */
export const readableManyFormats = formats.filter((format) => format.readMany !== undefined)
