/** After a copy, from either database to either, clients notice nothing. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { type CopyEvent, copyDatabase } from '../../src/store/copy/copy-database.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { planMigration } from '../../src/store/schema/run-migration.ts'
import { someOf } from '../cases.ts'
import { maskPositions } from '../positions.ts'
import { postgres } from '../postgres.ts'
import { type Reply, type SendRequest, serve, type TestService } from '../service.ts'
import { folderFor } from '../store/folder.ts'
import everything from './everything.ts'
import { live, told } from './life.ts'

const schema = schemaOf(checkDefinition(everything))

/** Relations are absolute URIs: the copy is served under the same name. */
const publicUrl = 'https://books.example'

let files = 0
const places = {
  SQLite: async (t: TestContext) => `file:${join(folderFor(t), `${files++}.db`)}`,
  PostgreSQL: async (_: TestContext) => (await postgres()).freshUrl(),
}

const kinds = ['SQLite', 'PostgreSQL'] as const

for (const from of kinds) {
  for (const to of someOf(kinds, 1)) {
    test(`from ${from} to ${to}: the same answers, tags, pages, keys, tokens and log`, async (t) => {
      await unnoticed(await places[from](t), await places[to](t), from === to)
    })
  }
}

async function unnoticed(from: string, to: string, alike: boolean): Promise<void> {
  const before = await lived(from)
  const told: CopyEvent[] = []
  const { rows } = await copyDatabase({ from, to, schema, report: (one) => void told.push(one) })
  const compared = told.filter(({ kind }) => kind === 'compared')
  assert.equal(
    compared.reduce((sum, one) => sum + one.rows, 0),
    rows,
  )
  assert.deepEqual(await planMigration(to, schema), [])
  await using after = await serve(everything, { database: to, publicUrl })
  for (const one of before.answers) {
    const reply = await after.request(one.line, one.fields)
    const counted = [one.reply, reply].some(({ fields }) => fields.etag?.startsWith('"r'))
    const tagged = alike || !counted
    assert.deepEqual(lasting(reply, tagged), lasting(one.reply, tagged), one.line)
  }
  assert.deepEqual(await after.service.store.readChanges(0, 1000), before.changes)
  await stillKnown(after.request, before)
  await goingOn(after, before)
}

async function lived(database: string) {
  await using service = await serve(everything, { database, publicUrl })
  const life = await live(service.request)
  const answers = await told(service.request)
  assert.ok(answers.length > 30, 'pages were followed')
  assert.ok(answers.some(({ line }) => line.includes('after=')))
  const moved = await service.request('GET /books/b-3')
  const gone = await service.request('GET /books/b-4')
  return { ...life, answers, moved, gone, changes: await service.service.store.readChanges(0, 1000) }
}

type Lived = Awaited<ReturnType<typeof lived>>

/**
 * SQLite makes the tag of a list that everyone sees alike from a counter, PostgreSQL from the page:
 * there the tags differ, and a client is sent the same list once more.
 */
function lasting({ status, fields, text }: Reply, tagged: boolean) {
  const { etag, link, location, 'last-modified': modified } = fields
  // Each request has a number of its own.
  const body = maskPositions(text.replace(/urn:uuid:[-0-9a-f]+/, ''))
  return {
    status,
    body,
    link: maskPositions(String(link)),
    location,
    modified,
    tag: tagged ? etag : undefined,
  }
}

async function stillKnown(request: SendRequest, before: Lived) {
  const moved = await request('GET /books/b-3')
  assert.deepEqual([moved.status, moved.fields.location], [301, before.moved.fields.location])
  assert.equal(before.gone.status, 410)
  assert.equal((await request('GET /books/b-4')).status, 410)
  const mine = await request('GET /tokens', { authorization: `Bearer ${before.token}` })
  assert.equal(mine.json.length, 1)
  const key = { 'idempotency-key': '"once"' }
  const again = await request('POST /notes', key, { line: 'once', open: true, about: 'b-1' })
  assert.deepEqual([again.status, again.text], [201, before.kept.text])
  assert.equal(again.fields.location, before.kept.fields.location)
}

/** What is written from now on goes on where the other stood: no tag and no position comes twice. */
async function goingOn({ request, service }: TestService, before: Lived) {
  const tags = before.answers.map(({ reply }) => reply.fields.etag)
  const book = await request('GET /books/b-1')
  const patch = { 'content-type': 'application/merge-patch+json', 'if-match': book.fields.etag! }
  const changed = await request('PATCH /books/b-1', patch, '{"title":"New words"}')
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await request('GET /books?q=new+words')).json.length, 1)
  assert.equal((await request('DELETE /books/b-7')).status, 204)
  const returned = await request('PUT /books/b-7', {}, { slug: 'b-7', title: 'Again' })
  assert.equal(returned.status, 201, returned.text)
  for (const line of ['GET /books/b-1', 'GET /books/b-7', 'GET /books?limit=4']) {
    const { etag } = (await request(line)).fields
    assert.ok(etag !== undefined && !tags.includes(etag), line)
  }
  const positions = before.changes.map(({ position }) => position)
  const newer = await service.store.readChanges(Math.max(...positions), 10)
  assert.deepEqual(
    newer.filter(({ table }) => table === 'books').map(({ kind }) => kind),
    ['updated', 'deleted', 'created'],
  )
  assert.equal((await request('DELETE /books/b-1')).status, 409, 'its predecessor refers to it')
  const about = await request('POST /notes', {}, { line: 'goes along', open: true, about: 'b-7' })
  assert.equal((await request('DELETE /books/b-7')).status, 204)
  assert.equal((await request(`GET ${about.fields.location}`)).status, 404)
}
