/**
 * Compares single durable writes through the writer thread with writes on the calling thread.
 * `node --conditions=source bench/lone-write.ts [writes]`
 */

import { randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkDefinition } from '../src/service/check-definition.ts'
import { always } from '../src/store/condition.ts'
import { schemaOf } from '../src/store/schema/model-schema.ts'
import { unattributed } from '../src/store/sql/change-log-sql.ts'
import { createWriteStatements } from '../src/store/sql/write-sql.ts'
import { SqliteConnection } from '../src/store/sqlite/connection/connection.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite.ts'
import { sqliteDialect } from '../src/store/sqlite/sqlite-dialect.ts'
import { runBatch } from '../src/store/sqlite/write/group-commit.ts'
import type { Write } from '../src/store/write.ts'
import { note } from './note.ts'
import notes from './notes.ts'
import { median } from './rounds.ts'

const count = Number(process.argv[2] ?? 2000)
const schema = schemaOf(checkDefinition(notes))
const folder = mkdtempSync(join(tmpdir(), 'restwell-lone-'))
const notice = () => undefined
const threaded = await openSqliteStore({
  file: join(folder, 'threaded.db'),
  schema,
  observe: notice,
})
const file = join(folder, 'direct.db')
await (await openSqliteStore({ file, schema, observe: notice })).close()
const connection = new SqliteConnection({ file, use: 'write', temporary: false })
const statements = createWriteStatements(schema, sqliteDialect)
const times = { thread: [] as number[], direct: [] as number[] }
// Alternately, so that other load affects both.
for (let n = 0; n < count; n += 1) {
  const began = performance.now()
  await threaded.write([insertion()])
  const between = performance.now()
  runBatch(connection, statements, [{ kind: 'write', writes: [insertion()], attribution: unattributed }])
  times.thread.push(between - began)
  times.direct.push(performance.now() - between)
}
connection.close()
await threaded.close()
rmSync(folder, { recursive: true })
const [thread, direct] = [median(times.thread), median(times.direct)]
process.stdout.write(
  `A lone durable write, median of ${count}: ${thread.toFixed(3)} ms by the writer thread, ` +
    `${direct.toFixed(3)} ms on the calling thread; ${(thread - direct).toFixed(3)} ms more.\n`,
)

function insertion(): Write {
  const now = new Date().toISOString()
  const { title, body, tags, stars } = note
  const values = [randomUUIDv7(), 1, now, now, title, body, JSON.stringify(tags), stars]
  return { kind: 'insert', table: 'notes', values, conditionAfter: always }
}
