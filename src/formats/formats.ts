/** All formats, in the server's order of preference. The first is the default. */

import type { View } from '../views/view.ts'
import { csv } from './csv.ts'
import { formContent } from './form-reader.ts'
import type { Format } from './format.ts'
import { hal, halForms } from './hal.ts'
import { html } from './html.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'
import { problem, problemXml } from './problem.ts'
import { xml } from './xml.ts'

export const formats: readonly Format[] = Object.freeze([
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

/** The formats that can write this kind of view, in order of preference. */
export function formatsFor(kind: View['kind']): readonly Format[] {
  return formats.filter((format) => format.viewKinds.has(kind))
}

/** The formats of a result that has rows. */
export const formatsForRows = formats.filter((format) => format.viewKinds.has('document') || format === csv)

/** The formats that requests may use for one item. */
export const readableFormats = formats.filter((format) => format.read !== undefined)

/** The formats that requests may use for many items. */
export const readableManyFormats = formats.filter((format) => format.readMany !== undefined)
