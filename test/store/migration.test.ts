/** Migrations of a SQLite file. */

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, it } from 'node:test'
import { formatPlan, formatTakenSteps } from '../../src/store/schema/migration-plan.ts'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import { conversionContract } from './conversion-contract.ts'
import { joinTableContract } from './join-table-contract.ts'
import { limitsContract } from './limits-contract.ts'
import { logMigrationContract } from './log-migration-contract.ts'
import { filled, migrationContract, rowsIn, withStore } from './migration-contract.ts'
import { ownershipContract } from './ownership-contract.ts'
import { integer, row, schema, table, text } from './tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'restwell-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const freshUrl = async () => `file:${join(folder, `${files++}.db`)}`

migrationContract('SQLite', freshUrl)
limitsContract('SQLite', freshUrl)
joinTableContract('SQLite', freshUrl)
conversionContract('SQLite', freshUrl)
ownershipContract('SQLite', freshUrl, queryDatabase)
logMigrationContract('SQLite', freshUrl)

/** Runs statements as another program. */
async function queryDatabase(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const database = new DatabaseSync(url.slice('file:'.length))
  try {
    const statements = sql.split('; ')
    database.exec(statements.slice(0, -1).join('; '))
    return database
      .prepare(statements.at(-1)!)
      .all()
      .map((one) => ({ ...one }))
  } finally {
    database.close()
  }
}

it('before something is lost the file is copied, and the copy has it', async () => {
  const url = await freshUrl()
  const before = schema(table('things', [text('a')]))
  await filled(url, before, 'things', [row('t1', 'x')])
  const { copy } = await migrate(url, schema(table('things', [])), 'all')
  assert.ok(copy !== undefined && readdirSync(folder).some((name) => copy.endsWith(name)))
  const rows = await withStore(`file:${copy}`, before, (store) => rowsIn(store, 'things'))
  assert.deepEqual(rows[0]?.slice(4), ['x'])
})

it('a backup that is not complete has another name than one that is', async () => {
  const url = await freshUrl()
  const before = schema(table('things', [text('a')]))
  await filled(url, before, 'things', [row('t1', 'x')])
  const file = url.slice('file:'.length)
  const backups = () => readdirSync(folder).filter((name) => name.startsWith(`${basename(file)}.before-`))
  let during: string[] = []
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    if (!sql.startsWith('vacuum into')) return statement
    const run = statement.run.bind(statement)
    statement.run = (...values: unknown[]) => {
      const done = run(...(values as string[]))
      during = backups()
      throw new Error('The process dies here', { cause: done })
    }
    return statement
  }
  const failing = migrate(url, schema(table('things', [])), 'all')
  await assert.rejects(failing, /The process dies here/)
  DatabaseSync.prototype.prepare = prepare
  assert.deepEqual(during, [])
  await migrate(url, schema(table('things', [])), 'all')
  const [copy, ...others] = backups()
  assert.ok(copy !== undefined)
  assert.deepEqual(others, [])
  assert.equal(statSync(join(folder, copy)).mode & 0o777, 0o600)
})

it('failing between any two statements it leaves everything as it was', async () => {
  const before = schema(table('things', [text('a'), integer('b')]))
  const wanted = schema(table('things', [text('a', { required: true }), text('c')]))
  const { exec } = DatabaseSync.prototype
  for (let fatal = 1; ; fatal += 1) {
    const url = await freshUrl()
    await filled(url, before, 'things', [row('t1', 'x', 5)])
    let count = 0
    DatabaseSync.prototype.exec = function (sql) {
      if (/^(create|insert|drop|alter|update)/.test(sql) && ++count === fatal) {
        throw new Error('The process dies here')
      }
      return exec.call(this, sql)
    }
    const outcome = await migrate(url, wanted, 'all').then(
      () => 'done',
      () => 'failed',
    )
    DatabaseSync.prototype.exec = exec
    if (outcome === 'done') {
      assert.ok(fatal > 4, 'several statements were tried')
      return
    }
    const rows = await withStore(url, before, (store) => rowsIn(store, 'things'))
    assert.deepEqual(rows[0]?.slice(4), ['x', 5])
  }
})

it('a plan says that a table is rebuilt while writers wait', async () => {
  const url = await freshUrl()
  await filled(url, schema(table('things', [text('a')])), 'things', [row('t1', 'x')])
  const wanted = schema(table('things', [text('a', { required: true }), text('b')]), table('others', []))
  assert.equal(
    formatPlan(await planMigration(url, wanted)),
    [
      '  apply  require things.a',
      '  can    add column things.b (writers wait for a moment)',
      '  apply  rebuild table things (1 row; every row is copied while writers wait)',
      '  can    create table others',
    ].join('\n'),
  )
  const { steps } = await migrate(url, wanted, 'safe')
  assert.equal(
    formatTakenSteps(steps),
    [
      '  require things.a',
      '  add column things.b',
      '  rebuild table things (1 row)',
      '  create table others',
    ].join('\n'),
  )
})
