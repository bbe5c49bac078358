/** The one ordered list of formats: the first is what a client gets that does not say. */

import type { View } from '../view/view.ts'
import { json } from './json.ts'
import { problem } from './problem.ts'
import type { Representation } from './representation.ts'

export const formats: readonly Representation[] = Object.freeze([json, problem])

/** What can show the kind of view, in the server's order of preference. */
export function formatsFor(kind: View['kind']): readonly Representation[] {
  return formats.filter((format) => format.shows.has(kind))
}

/** What content of a request may be in. */
export const readableFormats = formats.filter((format) => format.read !== undefined)
