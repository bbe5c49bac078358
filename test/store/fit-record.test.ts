/** A start compares tables and definition only where one of them has changed since the last start. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { textKind } from '../../src/definition/kinds/text.ts'
import { openStore } from '../../src/store/open-store.ts'
import { formatPlan } from '../../src/store/schema/migration-plan.ts'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import { limitsOf, schema, table, text } from './tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'restwell-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

const things = schema(table('things', [text('a'), text('b')], { indexes: [['a']] }))
const narrower = schema(table('things', [text('a', limitedTo(5)), text('b')], { indexes: [['a']] }))

/** A file that was started once with the schema. */
async function startedFile(of: Schema = things): Promise<string> {
  const file = join(folder, `${files++}.db`)
  assert.equal((await start(file, of)).compared, true)
  return file
}

/** Opens and closes the store: whether its tables were compared, and what was left alone. */
async function start(file: string, of: Schema = things) {
  const { prepare } = DatabaseSync.prototype
  let compared = false
  const kept: string[] = []
  DatabaseSync.prototype.prepare = function (sql) {
    if (sql.includes('pragma_table_xinfo')) compared = true
    return prepare.call(this, sql)
  }
  try {
    const store = await openStore(`file:${file}`, of, (one) => {
      if (one.kind === 'objects-kept') kept.push(...one.foreign)
    })
    await store.close()
  } finally {
    DatabaseSync.prototype.prepare = prepare
  }
  return { compared, kept }
}

/** Runs statements as another program would. */
function change(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

function limitedTo(maxLength: number) {
  return { limits: limitsOf(textKind, { type: 'string', maxLength }) }
}

suite('a start on a SQLite file', () => {
  test('compares no table where neither the definition nor the file has changed', async () => {
    const file = await startedFile()
    assert.equal((await start(file)).compared, false)
    change(file, `insert into things values ('t1', 1, '', '', 'x', 'y'); vacuum`)
    assert.equal((await start(file)).compared, false)
  })

  const changes = {
    'has created a table': 'create table mine (x integer)',
    'has created an index': 'create index mine on things (b)',
    'has added a column': 'alter table things add column mine text',
    'has created a trigger': 'create trigger mine after insert on things begin select 1; end',
    'has dropped an index': 'drop index "things:index:a,_identity"',
    'has removed the record of limits': `delete from "_meta" where "name" = 'limits'`,
    'has removed the revisions': 'delete from "_collections"',
  }
  for (const [name, sql] of Object.entries(changes)) {
    test(`compares the tables again after another program ${name}, once`, async () => {
      const file = await startedFile()
      change(file, sql)
      assert.equal((await start(file)).compared, true)
      assert.equal((await start(file)).compared, false)
      assert.doesNotMatch(formatPlan(await planMigration(`file:${file}`, things)), /can|apply/)
    })
  }

  test('compares the tables again in a file with the same schema version and another schema', async () => {
    const file = await startedFile()
    const database = new DatabaseSync(file)
    const version = database.prepare('pragma schema_version').get()?.schema_version
    database.exec('drop index "things:index:a,_identity"')
    database.exec(`pragma schema_version = ${version}`)
    database.close()
    assert.equal((await start(file)).compared, true)
  })

  test('compares the tables for each changed definition, its limits included', async () => {
    const file = await startedFile()
    for (const one of [narrower, things, schema(table('things', [text('a')]))]) {
      assert.equal((await start(file, one)).compared, true)
      assert.equal((await start(file, one)).compared, false)
    }
  })

  test('logs what other programs have made whether it compares the tables or not', async () => {
    const file = await startedFile()
    change(file, 'create table mine (x integer)')
    assert.deepEqual(await start(file), { compared: true, kept: ['table mine'] })
    assert.deepEqual(await start(file), { compared: false, kept: ['table mine'] })
  })

  test('is refused each time where a changed file does not fit', async () => {
    const file = await startedFile()
    change(file, 'alter table things drop column b; alter table things add column b integer')
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await assert.rejects(start(file), /does not fit the definition/)
    }
  })

  test('compares the tables after a migration, which plans without regard to the last start', async () => {
    const file = await startedFile()
    const fewer = schema(table('things', [text('a')], { indexes: [['a']] }))
    await start(file, fewer)
    assert.equal((await planMigration(`file:${file}`, fewer)).length > 0, true)
    await migrate(`file:${file}`, fewer, 'all')
    assert.equal((await start(file, fewer)).compared, true)
    assert.equal((await start(file, fewer)).compared, false)
  })
})
