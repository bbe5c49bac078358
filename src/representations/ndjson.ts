/** application/x-ndjson: a collection as one JSON object on each line. */

import type { ItemView, StreamView, View } from '../view/view.ts'
import type { Format } from './format.ts'
import { writeItem } from './json.ts'
import { parseNdjson } from './ndjson-reader.ts'

export const ndjson: Format = {
  name: 'ndjson',
  mediaType: 'application/x-ndjson',
  shows: new Set(['collection']),
  write(view: View): string {
    if (view.kind !== 'collection') throw new Error(`NDJSON does not show ${view.kind}`)
    return linesOf(view.items)
  },
  writeItem,
  async *stream({ batches }: StreamView): AsyncGenerator<string> {
    for await (const items of batches) yield linesOf(items)
  },
  readMany: parseNdjson,
}

function linesOf(items: readonly ItemView[]): string {
  let text = ''
  for (const item of items) text += `${writeItem(item)}\n`
  return text
}
