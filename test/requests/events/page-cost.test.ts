/** What a page of the feed costs where thousands of changes are hidden from its caller. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, owner, ref, resource, service, signedIn, text } from 'restwell'
import { anonymous } from '../../../src/access/principal.ts'
import { type ChangePageRequest, readChangePage } from '../../../src/requests/events/change-reader.ts'
import { createReadingTurns } from '../../../src/requests/events/reading-turns.ts'
import { createViewer } from '../../../src/requests/events/viewer.ts'
import { schemaOf } from '../../../src/store/schema/model-schema.ts'
import { users } from '../../access/sample.ts'
import { admin, serve, type TestService } from '../../service.ts'

const definition = service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users,
    notes: resource(
      { title: text(), author: ref('users').fromPrincipal() },
      { access: { read: owner('author'), create: signedIn }, bulk: true },
    ),
    tasks: resource({ title: text({ max: 100_000 }) }, { access: { read: anyone, create: anyone } }),
  },
})

/** Creates notes that an anonymous caller may not read. */
async function createHidden({ request }: TestService, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, at) => JSON.stringify({ title: `${at}` })).join('\n')
  const reply = await request('POST /notes', { ...admin, 'content-type': 'application/x-ndjson' }, lines)
  assert.equal(reply.status, 201, reply.text)
}

/** Reads pages as an anonymous caller, and counts the entries that each of them reads. */
function createPageReader({ service: { store, model } }: TestService) {
  let entries = 0
  const readChanges = store.readChanges.bind(store)
  store.readChanges = async (after, limit) => {
    const found = await readChanges(after, limit)
    entries += found.length
    return found
  }
  const source = { store, model, schema: schemaOf(model), readInTurn: createReadingTurns() }
  const viewer = createViewer(
    anonymous,
    [...model.resources.values()].map((resource) => ({ resource })),
  )
  return async (request: Omit<ChangePageRequest, 'viewer'>) => {
    entries = 0
    const page = await readChangePage(source, { viewer, ...request })
    return { ...page, entries }
  }
}

const start = { position: 0, changesRead: 0 }

test('a page reads a bounded number of hidden entries, and its next link continues after them', async () => {
  await using s = await serve(definition)
  await createHidden(s, 700)
  await s.request('POST /tasks', {}, { title: 'A' })
  await createHidden(s, 700)
  await s.request('POST /tasks', {}, { title: 'B' })
  const readPage = createPageReader(s)
  const maxEntries = 300
  const seen: string[] = []
  let [next, pages] = [start, 0]
  while (seen.length < 2) {
    const page = await readPage({ from: next, limit: 50, maxEntries })
    // A part of the log is read as a whole.
    assert.ok(page.entries < maxEntries + 100, `${page.entries} entries`)
    // The account of the administrator is visible too.
    for (const { change } of page.changes) {
      if ('item' in change && change.resource.name === 'tasks') seen.push(change.id)
    }
    next = page.next
    pages += 1
  }
  assert.ok(pages > 1400 / (maxEntries + 100))
  assert.deepEqual((await readPage({ from: next, limit: 50, maxEntries })).changes, [])
})

test('a page ends after so many hidden entries that they cannot be counted in pages', async () => {
  await using s = await serve(definition)
  await createHidden(s, 1000)
  const readPage = createPageReader(s)
  const lengths = new Set<number>()
  for (let n = 0; n < 200 && lengths.size < 2; n += 1) {
    lengths.add((await readPage({ from: start, limit: 50, maxEntries: 800 })).next.position)
  }
  assert.equal(lengths.size, 2)
})

test('a page of large items ends before its limit', async () => {
  await using s = await serve(definition)
  for (let n = 0; n < 100; n += 1) {
    const created = await s.request('POST /tasks', {}, { title: 'x'.repeat(90_000) })
    assert.equal(created.status, 201, created.text)
  }
  const first = await s.request('GET /events?limit=1000')
  assert.ok(first.json.length <= 100 && first.json.length >= 40, `${first.json.length} changes`)
  const seen = new Set<string>()
  for (let page = first; page.json.length > 0; ) {
    for (const { href } of page.json) if (href.startsWith('/tasks/')) seen.add(href)
    const [, next] = /<([^>]*)>; rel="next"/.exec(String(page.fields.link)) ?? []
    page = await s.request(`GET ${next}`)
  }
  assert.equal(seen.size, 100)
})
