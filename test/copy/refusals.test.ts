/** What is not copied: one line that says why, and nothing is changed. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { listCopiedTables } from '../../src/store/copy/copied-table.ts'
import { type CopyOptions, copyDatabase } from '../../src/store/copy/copy-database.ts'
import { openStore } from '../../src/store/open-store.ts'
import { openPostgresOrigin } from '../../src/store/postgres/copy/copy-origin.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import { StoreOpenError } from '../../src/store/store.ts'
import { postgres } from '../postgres.ts'
import { folderFor } from '../store/folder.ts'
import { filled, rowsIn, withStore } from '../store/migration-contract.ts'
import { integer, row, schema, table, text } from '../store/tables.ts'

const things = schema(table('things', [text('a')], { search: ['a'] }))
const other = schema(table('things', [integer('b')]))
const two = [row('t1', 'x'), row('t2', 'y')]

async function refusalOf(from: string, to: string, more: Partial<CopyOptions> = {}) {
  const options = { from, to, schema: things, report: () => undefined, ...more }
  const fault = await copyDatabase(options).catch((error) => error)
  assert.ok(fault instanceof StoreOpenError, String(fault))
  assert.ok(!fault.message.includes('\n'), 'one line')
  assert.ok(!fault.message.includes('restwell:restwell'), 'no password')
  return fault.message
}

/** Stops when it comes to comparing: everything is there, and nothing is finished. */
async function unfinished(from: string, to: string, of: Schema = things): Promise<void> {
  const report: CopyOptions['report'] = ({ kind }) => {
    if (kind === 'compared') throw new Error('stopped')
  }
  await assert.rejects(copyDatabase({ from, to, schema: of, report }), /stopped/)
}

interface Place {
  fresh(): Promise<string>
  /** Changes what is there behind the back of whoever copies. */
  tamper(url: string, sql: string): Promise<void>
}

const folder: { path?: string } = {}
let files = 0

const sqlite: Place = {
  fresh: async () => `file:${join(folder.path!, `${files++}.db`)}`,
  async tamper(url, sql) {
    const database = new DatabaseSync(url.slice('file:'.length))
    database.exec(sql)
    database.close()
  },
}

const server: Place = {
  fresh: async () => (await postgres()).freshUrl(),
  async tamper(url, sql) {
    const client = new pg.Client({ connectionString: url.replace(/\?.*/, '') })
    await client.connect()
    const name = new URL(url).searchParams.get('schema')
    await client.query(`set search_path = ${name}; ${sql}`).finally(() => client.end())
  },
}

for (const [name, place] of Object.entries({ SQLite: sqlite, PostgreSQL: server })) {
  test(`${name}: each refusal is one line`, async (t) => {
    folder.path = folderFor(t)
    const source = await sqlite.fresh()
    await filled(source, things, 'things', two)

    await t.test('a destination that holds data', async () => {
      const to = await place.fresh()
      await filled(to, things, 'things', [row('t9', 'z')])
      assert.match(await refusalOf(source, to), /already holds data/)
      const kept = await withStore(to, things, (store) => rowsIn(store, 'things'))
      assert.deepEqual(
        kept.map(([identity]) => identity),
        ['t9'],
      )
    })

    await t.test('a destination with tables of another definition', async () => {
      const to = await place.fresh()
      await withStore(to, other, async () => undefined)
      assert.match(await refusalOf(source, to), /tables of another definition/)
    })

    await t.test('a destination that is empty and fits is taken', async () => {
      const to = await place.fresh()
      await withStore(to, things, async () => undefined)
      await copyDatabase({ from: source, to, schema: things, report: () => undefined })
      assert.equal((await withStore(to, things, (store) => rowsIn(store, 'things'))).length, 2)
    })

    await t.test('a source of another definition', async () => {
      const from = await place.fresh()
      await filled(from, other, 'things', [row('t1', 5)])
      assert.match(await refusalOf(from, await sqlite.fresh()), /does not fit the definition/)
    })

    await t.test('a source that is not there', async () => {
      assert.match(await refusalOf(await place.fresh(), await sqlite.fresh()), /no .*tables|no database file/)
    })

    await t.test('a source that is itself half a copy', async () => {
      const half = await place.fresh()
      await unfinished(source, half)
      assert.match(await refusalOf(half, await sqlite.fresh()), /an unfinished copy/)
      await assert.rejects(
        openStore(half, things, () => undefined),
        /an unfinished copy/,
      )
    })

    await t.test('the copy of another source, or of this one before it changed', async () => {
      const from = await place.fresh()
      await filled(from, things, 'things', two)
      const to = await place.fresh()
      await unfinished(from, to)
      await filled(from, things, 'things', [row('t3', 'z')])
      assert.match(await refusalOf(from, to), /before the origin changed/)
    })

    for (const [what, sql] of [
      ['a value that is another', `update "things" set "a" = 'X' where "_identity" = 't2'`],
      ['a row that is missing', `delete from "things" where "_identity" = 't2'`],
      [
        'a row too many',
        `insert into "things" select 't3', "_version", "createdAt", "updatedAt", "a" from "things" where "_identity" = 't2'`,
      ],
    ] as const) {
      await t.test(`a copy with ${what}, by the row`, async () => {
        const to = await place.fresh()
        await unfinished(source, to)
        await place.tamper(to, sql)
        assert.match(await refusalOf(source, to), /things differs at \["t[23]"\]/)
        await assert.rejects(
          openStore(to, things, () => undefined),
          /an unfinished copy/,
        )
      })
    }
  })
}

test('a SQLite file that is being served is not copied, nor served while it is', async (t) => {
  folder.path = folderFor(t)
  const from = await sqlite.fresh()
  const to = await sqlite.fresh()
  await withStore(from, things, async () => {
    assert.match(await refusalOf(from, to), /in use by another process/)
  })
  const attempts: Promise<unknown>[] = []
  const report = () => {
    attempts.push(openStore(from, things, () => undefined).catch((error) => error))
  }
  await copyDatabase({ from, to, schema: things, report })
  for (const fault of await Promise.all(attempts)) assert.match(String(fault), /in use by another/)
  assert.ok(attempts.length > 5)
})

test('a PostgreSQL database cannot be written to while it is copied from', async () => {
  const from = await server.fresh()
  await filled(from, things, 'things', two)
  const write = () => server.tamper(from, `set lock_timeout = 1; update "things" set "a" = 'X'`)
  {
    await using origin = await openPostgresOrigin(from, things)
    await assert.rejects(write(), { code: '55P03' })
    assert.equal((await origin.rows(listCopiedTables(things)[0]!, undefined, 9)).length, 2)
  }
  await write()
})

test('a PostgreSQL database with a writer in the middle of something is not copied', async (t) => {
  folder.path = folderFor(t)
  const from = await server.fresh()
  await filled(from, things, 'things', two)
  const client = new pg.Client({ connectionString: from.replace(/\?.*/, '') })
  await client.connect()
  try {
    const name = new URL(from).searchParams.get('schema')
    await client.query(`begin; update ${name}."things" set "a" = 'X'`)
    assert.match(await refusalOf(from, await sqlite.fresh()), /is being written to/)
  } finally {
    await client.end()
  }
})

test('every table there is, on either database, is copied or left out for a reason', async (t) => {
  folder.path = folderFor(t)
  const copied = listCopiedTables(things).map(({ name }) => name)
  const made = ['_collections', '_meta', '_search:things', '_documents:things', '_words:things']
  const file = await sqlite.fresh()
  await withStore(file, things, async () => undefined)
  const database = new DatabaseSync(file.slice('file:'.length))
  const there = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`)
    .all()
    .map(({ name }) => String(name))
    // FTS5 keeps its index in tables of its own.
    .filter((name) => !name.startsWith('_search:things_'))
  database.close()
  const url = await server.fresh()
  await withStore(url, things, async () => undefined)
  const client = new pg.Client({ connectionString: url.replace(/\?.*/, '') })
  await client.connect()
  const { rows } = await client.query('select tablename from pg_tables where schemaname = $1', [
    new URL(url).searchParams.get('schema'),
  ])
  await client.end()
  const names = new Set([...there, ...rows.map(({ tablename }) => String(tablename))])
  assert.deepEqual([...names].sort(), [...copied, ...made].sort())
})
