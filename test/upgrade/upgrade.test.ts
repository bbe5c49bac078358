/**
 * Databases that earlier versions wrote: they open, show what they showed, and take writes. `write-database.ts` makes
 * them: of version 0.1.0, of the time before the history of items, and with all tables up to the audit.
 */

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { freshDatabase, onPostgres } from '../database.ts'
import { serve } from '../service.ts'
import shop from './shop.ts'
import { ada, admin, firstArticle, type Shown } from './shop-data.ts'

const kind = onPostgres ? 'sql' : 'db'
const folder = join(import.meta.dirname, 'databases')

for (const version of ['0.1.0', 'before-history', 'with-audit']) {
  test(`a database of ${version} opens with everything that it had, and takes writes`, async (t) => {
    const shown: Shown = JSON.parse(await readFile(join(folder, `${version}.${kind}.json`), 'utf8'))
    const database = await restoreDatabase(t, version)
    // Tokens and stored responses expire.
    const startsAt = Date.parse(newestTime(shown)) + 60_000
    {
      await using s = await serve(shop, { database, startsAt })
      for (const [path, expected] of Object.entries(shown.representations)) {
        const fields = { ...admin, accept: 'application/json' }
        // Later versions may add members.
        assert.partialDeepStrictEqual((await s.request(`GET ${path}`, fields)).json, expected, path)
      }
      const { status, fields } = await s.request('GET /products/CUP')
      assert.deepEqual([status, fields.location], [301, '/products/MUG-1'])
      assert.equal((await s.request('GET /products/GONE', admin)).status, 404)
      const bearer = { authorization: `Bearer ${shown.token}` }
      assert.equal((await s.request('GET /articles?status=draft', bearer)).json.length, 1)
      const repeated = await s.request('POST /articles', { ...ada, 'idempotency-key': 'one' }, firstArticle)
      assert.deepEqual([repeated.status, repeated.fields.location], [201, shown.article])
      const patch = { ...bearer, 'content-type': 'application/merge-patch+json' }
      const changed = await s.request(`PATCH ${shown.article}`, patch, '{"title":"Changed"}')
      assert.equal(changed.status, 200, changed.text)
    }
    await using again = await serve(shop, { database, startsAt })
    const found = await again.request('GET /articles?q=changed', { ...admin, accept: 'application/json' })
    assert.deepEqual(
      found.json.map(({ title }: { title: string }) => title),
      ['Changed'],
    )
  })
}

/** A copy of the database, which the test may change. */
async function restoreDatabase(t: TestContext, version: string): Promise<string> {
  const content = zstdDecompressSync(await readFile(join(folder, `${version}.${kind}.zst`)))
  if (onPostgres) return restorePostgres(content.toString())
  const target = await mkdtemp(join(tmpdir(), 'restwell-upgrade-'))
  t.after(() => rm(target, { recursive: true }))
  await writeFile(join(target, 'shop.db'), content)
  return `file:${join(target, 'shop.db')}`
}

async function restorePostgres(sql: string): Promise<string> {
  const { default: pg } = await import('pg')
  const database = await freshDatabase()
  const schema = new URL(database).searchParams.get('schema')
  const client = new pg.Client({ connectionString: database.replace(/\?.*/, '') })
  await client.connect()
  await client.query(
    sql.replaceAll(/(CREATE SCHEMA )upgrade|\bupgrade\./g, (_, create) =>
      create ? `${create}${schema}` : `${schema}.`,
    ),
  )
  await client.end()
  return database
}

function newestTime({ representations }: Shown): string {
  const times = JSON.stringify(representations).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? []
  return times.toSorted().at(-1) ?? ''
}
