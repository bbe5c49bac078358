/** application/x-ndjson: a collection as one JSON object on each line. */

import type { StreamView, View } from '../views/view.ts'
import { aggregateObjects } from './aggregate-objects.ts'
import type { Format } from './format.ts'
import { writeItem } from './json.ts'
import { parseNdjson } from './ndjson-reader.ts'

export const ndjson: Format = {
  name: 'ndjson',
  mediaType: 'application/x-ndjson',
  viewKinds: new Set(['collection', 'aggregate']),
  write(view: View): string {
    if (view.kind === 'aggregate') return writeLines(aggregateObjects(view).map((row) => JSON.stringify(row)))
    if (view.kind === 'document' && Array.isArray(view.data)) {
      return writeLines(view.data.map((entry) => JSON.stringify(entry)))
    }
    if (view.kind !== 'collection') throw new Error(`NDJSON does not show ${view.kind}`)
    return writeLines(view.items.map(writeItem))
  },
  writeCollectionItem: writeItem,
  async *stream({ batches }: StreamView): AsyncGenerator<string> {
    for await (const items of batches) yield writeLines(items.map(writeItem))
  },
  readMany: parseNdjson,
}

function writeLines(lines: readonly string[]): string {
  let text = ''
  for (const line of lines) text += `${line}\n`
  return text
}
