/** Databases of another format, older or newer: refused by one message wherever they are opened, and left as they are. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { plainEncoding } from '../../src/operation/backup/backup-encoding.ts'
import { openFolderPlace } from '../../src/operation/backup/folder-place.ts'
import { takeBackup } from '../../src/operation/backup/take-backup.ts'
import { type CopyOptions, copyDatabase } from '../../src/store/copy/copy-database.ts'
import { openStore } from '../../src/store/open-store.ts'
import { systemTables as postgresTables } from '../../src/store/postgres/schema/table-sql.ts'
import { FORMAT } from '../../src/store/schema/format-version.ts'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import { systemTables as sqliteTables } from '../../src/store/sqlite/schema/table-sql.ts'
import { StoreOpenError } from '../../src/store/store.ts'
import { postgres } from '../postgres.ts'
import { folderFor } from './folder.ts'
import { filled, rowsIn, withStore } from './migration-contract.ts'
import { row, schema, table, text } from './tables.ts'

const things = schema(table('things', [text('a')], { search: ['a'] }))
const report = () => undefined

/** Databases of one kind, and a way to change one as another program would. */
interface Place {
  fresh(t: TestContext): Promise<string>
  change(url: string, sql: string): Promise<void>
}

const places: Record<string, Place> = {
  SQLite: {
    fresh: async (t) => `file:${join(folderFor(t), 'a.db')}`,
    async change(url, sql) {
      const database = new DatabaseSync(url.slice('file:'.length))
      database.exec(sql)
      database.close()
    },
  },
  PostgreSQL: {
    fresh: async () => (await postgres()).freshUrl(),
    async change(url, sql) {
      const client = new pg.Client({ connectionString: url.replace(/\?.*/, '') })
      await client.connect()
      const name = new URL(url).searchParams.get('schema')
      await client.query(`set search_path = ${name}; ${sql}`).finally(() => client.end())
    },
  },
}

function formatSql(format: number): string {
  return `update "_meta" set "value" = '${format}' where "name" = 'format'`
}

function digestOf(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join(';\n')).digest('hex').slice(0, 16)
}

test('the system tables are those of the format: a change of them needs a decision about the number', () => {
  assert.deepEqual(
    { format: FORMAT, SQLite: digestOf(sqliteTables), PostgreSQL: digestOf(postgresTables) },
    { format: 3, SQLite: 'db226062f73ae38e', PostgreSQL: 'a8cf8e08ca1c0d27' },
  )
})

for (const [name, place] of Object.entries(places)) {
  async function filledFresh(t: TestContext): Promise<string> {
    const url = await place.fresh(t)
    await filled(url, things, 'things', [row('t1', 'x')])
    return url
  }

  /** By what opens the database. */
  const openings: Record<string, (t: TestContext, url: string) => Promise<unknown>> = {
    'a start': (_, url) => openStore(url, things, report),
    'a plan': (_, url) => planMigration(url, things),
    'a migration': (_, url) => migrate(url, things, 'all'),
    'a copy from it': async (t, from) =>
      copyDatabase({ from, to: await place.fresh(t), schema: things, report }),
    'a copy into it': async (t, to) =>
      copyDatabase({ from: await filledFresh(t), to, schema: things, report }),
    'a backup': (t, database) =>
      takeBackup({ database, schema: things, place: openFolderPlace(folderFor(t)), encoding: plainEncoding }),
  }

  for (const format of [FORMAT - 1, FORMAT + 1]) {
    test(`${name}: a database of format ${format} is refused, and left as it is`, async (t) => {
      const url = await filledFresh(t)
      await place.change(url, formatSql(format))
      for (const [what, open] of Object.entries(openings)) {
        const fault = await open(t, url).catch((error) => error)
        assert.ok(fault instanceof StoreOpenError, `${what}: ${fault}`)
        assert.match(
          fault.message,
          new RegExp(
            `^The database .* has format ${format}, .* format ${FORMAT} only\\. Use it with the version that wrote it\\. .*\`restwell export\` .*\`restwell import\` .* no password hashes, [^\n]*\\.$`,
          ),
          what,
        )
      }
      await place.change(url, formatSql(FORMAT))
      assert.equal((await withStore(url, things, (store) => rowsIn(store, 'things'))).length, 1)
    })
  }

  test(`${name}: a database of an older format that lacks system tables is refused by the same message`, async (t) => {
    const url = await filledFresh(t)
    await place.change(url, `${formatSql(FORMAT - 1)}; drop table "_audit"; drop table "_history"`)
    for (const [what, open] of Object.entries(openings)) {
      await assert.rejects(open(t, url), { name: 'StoreOpenError', message: /has format/ }, what)
    }
  })

  test(`${name}: the beginning of a copy in another format is not continued`, async (t) => {
    const [from, to] = [await filledFresh(t), await place.fresh(t)]
    const stop: CopyOptions['report'] = ({ kind }) => {
      if (kind === 'compared') throw new Error('stopped')
    }
    await assert.rejects(copyDatabase({ from, to, schema: things, report: stop }), /stopped/)
    await place.change(to, formatSql(FORMAT - 1))
    await assert.rejects(copyDatabase({ from, to, schema: things, report }), /has format/)
  })
}
