/** A database that fails while code of the definition reads it: 503, as in a request without code (RFC 9110 §15.6.4). */

import assert from 'node:assert/strict'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { anyone, resource, service, text } from '../../src/index.ts'
import { folderOf } from '../commands/command.ts'
import { onPostgres } from '../database.ts'
import { faultProxy } from '../fault-proxy.ts'
import { postgres } from '../postgres.ts'
import { serve } from '../service.ts'

const access = { read: anyone, create: anyone }

/** A service whose hook on notes reads books, after the database has failed. */
function define(fail: () => Promise<void>, wrap: (error: unknown) => unknown) {
  return service(
    {
      title: 'Notes',
      resources: {
        books: resource({ title: text() }, { access }),
        notes: resource({ title: text() }, { access }),
      },
    },
    {
      notes: {
        before: {
          async create(_: unknown, { books }: { books: { list(): Promise<unknown> } }) {
            await fail()
            await books.list().catch((error) => {
              throw wrap(error)
            })
          },
        },
      },
    } as object,
  )
}

/** A database that can fail: PostgreSQL behind a proxy, or a file whose page of books is overwritten. */
async function failingDatabase(t: TestContext) {
  if (onPostgres) {
    const cluster = await postgres()
    const proxy = await faultProxy(cluster.port)
    t.after(() => proxy[Symbol.asyncDispose]())
    const database = cluster.freshUrl().replace(`:${cluster.port}/`, `:${proxy.port}/`)
    return { database, fail: () => proxy.cut() }
  }
  const file = join(await folderOf(t), 'a.db')
  return { database: `file:${file}`, fail: async () => damagePage(file, rootPageOf(file, 'books')) }
}

for (const [name, wrap] of [
  ['', (error: unknown) => error],
  [', also where the code throws an error of its own', (cause: unknown) => new Error('no books', { cause })],
] as const) {
  test(`a database that fails in a hook is 503${name}`, async (t) => {
    const { database, fail } = await failingDatabase(t)
    {
      await using s = await serve(
        define(async () => {}, wrap),
        { database },
      )
      assert.equal((await s.request('POST /books', {}, { title: 'A' })).status, 201)
      assert.equal((await s.request('POST /notes', {}, { title: 'A' })).status, 201)
    }
    await using s = await serve(define(fail, wrap), { database })
    const { status, fields, text } = await s.request('POST /notes', {}, { title: 'B' })
    assert.equal(status, 503, text)
    assert.match(String(fields['retry-after']), /^\d+$/)
    assert.ok(s.observations.some(({ kind }) => kind === 'store-unavailable'))
  })
}

function rootPageOf(file: string, name: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(database.prepare('select rootpage from sqlite_schema where name = ?').get(name)?.rootpage)
  } finally {
    database.close()
  }
}

function damagePage(file: string, page: number): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096)
  closeSync(descriptor)
}
