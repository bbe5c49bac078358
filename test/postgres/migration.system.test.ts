/** Migrations of a PostgreSQL database. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import { placesFrom } from '../cases.ts'
import { faultProxy } from '../fault-proxy.ts'
import { postgres } from '../postgres.ts'
import { conversionContract } from '../store/conversion-contract.ts'
import { joinTableContract } from '../store/join-table-contract.ts'
import { limitsContract } from '../store/limits-contract.ts'
import { logMigrationContract } from '../store/log-migration-contract.ts'
import { filled, migrationContract, rowsIn, withStore } from '../store/migration-contract.ts'
import { ownershipContract } from '../store/ownership-contract.ts'
import { integer, row, schema, table, text } from '../store/tables.ts'

const freshUrl = async () => (await postgres()).freshUrl()

migrationContract('PostgreSQL', freshUrl)
limitsContract('PostgreSQL', freshUrl)
joinTableContract('PostgreSQL', freshUrl)
conversionContract('PostgreSQL', freshUrl)
ownershipContract('PostgreSQL', freshUrl, queryDatabase)
logMigrationContract('PostgreSQL', freshUrl)

/** Runs a query as another program. */
async function queryDatabase(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url.replace(/\?.*/, '') })
  await client.connect()
  try {
    await client.query(`set search_path = ${new URL(url).searchParams.get('schema')}`)
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(sql)
    return [results].flat().at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}

it('a database without a format entry is refused, and not called one of another format', async () => {
  const url = await freshUrl()
  await filled(url, before, 'things', [row('t1', 'x', 5)])
  await queryDatabase(url, `delete from "_meta" where "name" = 'format'`)
  await assert.rejects(migrate(url, before, 'all'), /has no format entry in its table _meta/)
})

const before = schema(table('things', [text('a'), integer('b')], { search: ['a'] }))
const wanted = schema(
  table('things', [text('a', { required: true }), text('c', { unique: true })]),
  table('others', [text('d')], { search: ['d'] }),
)

it('cut off at any of its statements it has done everything or nothing', async () => {
  const cluster = await postgres()
  for (const fatal of placesFrom(1)) {
    const url = cluster.freshUrl()
    await filled(url, before, 'things', [row('t1', 'x', 5)])
    await using proxy = await faultProxy(cluster.port)
    let count = 0
    proxy.fateOf = () => (++count === fatal ? 'lose' : 'pass')
    const proxied = url.replace(`:${cluster.port}/`, `:${proxy.port}/`)
    const outcome = await migrate(proxied, wanted, 'all').then(
      () => 'done',
      () => 'failed',
    )
    if (count < fatal) {
      assert.equal(outcome, 'done')
      assert.ok(fatal > 10, `${fatal} statements were tried`)
      return
    }
    // A statement outside the migration, such as a check of the server, may be lost.
    if (outcome === 'done') continue
    const rows = await withStore(url, before, (store) => rowsIn(store, 'things'))
    assert.deepEqual(rows[0]?.slice(4), ['x', 5])
  }
})

it('if the result of any statement is lost, this run or the next completes the migration', async () => {
  const cluster = await postgres()
  for (const fatal of placesFrom(1)) {
    const url = cluster.freshUrl()
    await filled(url, before, 'things', [row('t1', 'x', 5)])
    await using proxy = await faultProxy(cluster.port)
    let count = 0
    // Statements before the transaction only read.
    proxy.fateOf = (chunk) => {
      if (count > 0 || chunk.includes('begin\0')) count += 1
      return count === fatal ? 'lose-response' : 'pass'
    }
    const proxied = url.replace(`:${cluster.port}/`, `:${proxy.port}/`)
    const failed = await migrate(proxied, wanted, 'all').then(
      () => undefined,
      (error) => error,
    )
    // The last message ends the session and has no response.
    if (failed === undefined) {
      assert.ok(fatal > 10, `${fatal} statements were tried`)
      return
    }
    assert.equal(failed.name, 'StoreOpenError', String(failed.stack))
    await migrate(url, wanted, 'all')
    assert.deepEqual(await planMigration(url, wanted), [])
    const rows = await withStore(url, wanted, (store) => rowsIn(store, 'things'))
    assert.deepEqual(
      rows.map((one) => one.slice(4)),
      [['x', null]],
    )
    assert.deepEqual(await setAside(url), ['5'], 'set aside once, with its values')
  }
})

it('a COMMIT without a response has succeeded, and the error says how to continue', async () => {
  const cluster = await postgres()
  const url = cluster.freshUrl()
  await filled(url, before, 'things', [row('t1', 'x', 5)])
  await using proxy = await faultProxy(cluster.port)
  proxy.fateOf = (chunk) => (chunk.includes('commit\0') ? 'lose-response' : 'pass')
  const proxied = url.replace(`:${cluster.port}/`, `:${proxy.port}/`)
  await assert.rejects(migrate(proxied, wanted, 'all'), {
    name: 'StoreOpenError',
    message: /all steps were applied or none.*Run the command again/,
  })
  assert.deepEqual(await planMigration(url, wanted), [])
  assert.deepEqual((await migrate(url, wanted, 'all')).steps, [])
})

it('of many concurrent migrations one applies the steps, and the others have none to apply', async () => {
  const url = (await postgres()).freshUrl()
  await filled(url, before, 'things', [row('t1', 'x', 5)])
  await Promise.all(Array.from({ length: 5 }, () => migrate(url, wanted, 'all')))
  assert.deepEqual(await planMigration(url, wanted), [])
})

it('a node on the old definition is in trouble rather than wrong', async () => {
  const url = (await postgres()).freshUrl()
  await filled(url, before, 'things', [row('t1', 'x', 5)])
  await withStore(url, before, async (old) => {
    await rowsIn(old, 'things')
    await migrate(url, wanted, 'all')
    await assert.rejects(rowsIn(old, 'things'), { name: 'StoreUnavailable', reason: 'unreachable' })
  })
})

it('columns set aside still have their values', async () => {
  const url = (await postgres()).freshUrl()
  await filled(url, before, 'things', [row('t1', 'x', 5)])
  await migrate(url, wanted, 'all')
  await migrate(url, wanted, 'all')
  assert.deepEqual(await setAside(url), ['5'])
})

/** The values of the columns that were named `b`. */
async function setAside(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url.replace(/\?.*/, '') })
  await client.connect()
  try {
    const name = new URL(url).searchParams.get('schema')
    const { rows } = await client.query(`select * from ${name}.things`)
    const aside = Object.entries(rows[0]).filter(([column]) => column.startsWith('_b_'))
    return aside.map(([, value]) => value)
  } finally {
    await client.end()
  }
}
