/** Prometheus' text format, in which monitoring reads counters and histograms. */

import type { View } from '../view/view.ts'
import type { Representation } from './representation.ts'

/** Not among the formats that show every document: it is handed its text already written. */
export const prometheus: Representation = {
  name: 'prometheus',
  mediaType: 'text/plain; version=0.0.4; charset=utf-8',
  shows: new Set(),
  write: writeText,
}

function writeText(view: View): string {
  if (view.kind === 'document' && typeof view.data === 'string') return view.data
  throw new Error('Only a document that is a text can be written in this format')
}
