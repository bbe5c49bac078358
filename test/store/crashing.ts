/** A process for crash tests: writes rows as fast as it can, and tells of each acknowledgement. */

import { writeSync } from 'node:fs'
import { always } from '../../src/store/condition.ts'
import { openFile } from './folder.ts'
import { row, schema, table, text } from './tables.ts'

const WRITERS = 16
const things = schema(table('things', [text('name')], { indexes: [['name']] }))
const store = await openFile(process.argv[2] ?? '', things)
let next = await store.count('things', always)

writeSync(1, 'open\n')
await Promise.all(Array.from({ length: WRITERS }, write))

/** Each write makes a pair of rows, so that half of one would be seen. */
async function write(): Promise<void> {
  for (;;) {
    const name = `${process.pid}-${next++}`
    const insert = { kind: 'insert', table: 'things', conditionAfter: always } as const
    const written = await store.write([
      { ...insert, values: row(`${name}-a`, name) },
      { ...insert, values: row(`${name}-b`, name) },
    ])
    if (written.kind === 'done') writeSync(1, `${name}\n`)
  }
}
