/** The text format of Prometheus. */

import type { Format } from '../formats/format.ts'
import type { View } from '../views/view.ts'

/** Writes a document whose data is already text in this format. */
export const prometheus: Format = {
  name: 'prometheus',
  mediaType: 'text/plain; version=0.0.4; charset=utf-8',
  viewKinds: new Set(),
  write: writeText,
}

function writeText(view: View): string {
  if (view.kind === 'document' && typeof view.data === 'string') return view.data
  throw new Error('Prometheus text is written only from a document that is text')
}
