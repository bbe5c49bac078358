/** Lists of the client that stay current: order, limit and rights, broken connections, and their end. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client, Problem } from 'restwell/client'
import {
  anyone,
  choice,
  email,
  openService,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
  where,
} from '../../src/index.ts'
import { eventually } from '../eventually.ts'
import { admin, adminLogin, adminPassword, basic } from '../service.ts'

const users = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['reader', 'admin']).default('reader').writableBy(role('admin')),
  },
  { access: { read: self, create: anyone } },
)
const notes = resource(
  { title: text(), author: ref('users').fromPrincipal(), shared: text().optional() },
  {
    access: {
      read: [owner('author'), where({ shared: 'yes' })],
      create: signedIn,
      update: owner('author'),
      delete: owner('author'),
    },
  },
)
const definition = service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, notes },
})

/** A service with two callers, and the requests of the reader. */
async function sharedNotes() {
  const opened = await openService(definition, {
    database: 'file::memory:',
    rate: 'off',
    admin: { login: adminLogin, password: adminPassword },
  })
  const sent: Request[] = []
  const failures: Error[] = []
  const api = (authorization: string | undefined, fetch = opened.handle) =>
    client<typeof definition>('http://localhost', {
      fetch,
      retries: 0,
      ...(authorization && { authorization }),
    })
  const reader = api(undefined, async (request) => {
    sent.push(request)
    const failure = failures.shift()
    if (failure) throw failure
    return opened.handle(request)
  })
  return {
    reader,
    author: api(admin.authorization),
    sent,
    failures,
    streams: () => sent.filter(({ headers }) => headers.get('accept') === 'text/event-stream'),
    [Symbol.asyncDispose]: () => opened.close(),
  }
}

/** The titles that a watch shows now. */
const titles = (watch: { snapshot(): readonly { readonly title: string }[] | undefined }) =>
  watch.snapshot()?.map(({ title }) => title)

test('a watched list has the order, the limit and the rights of a list that is read now', async () => {
  await using shared = await sharedNotes()
  const { reader, author } = shared
  const b = await author.notes.create({ title: 'b', shared: 'yes' })
  const watch = reader.notes.watch({ sort: 'title', limit: 2 })
  assert.equal(watch.snapshot(), undefined)
  const leave = watch.subscribe(() => {})
  await eventually(() => String(titles(watch)) === 'b')
  const a = await author.notes.create({ title: 'a', shared: 'yes' })
  await author.notes.create({ title: 'c', shared: 'yes' })
  await eventually(() => String(titles(watch)) === 'a,b')
  // It is no longer visible, so that the next one moves up.
  await author.notes.patch(b.id, { shared: null })
  await eventually(() => String(titles(watch)) === 'a,c')
  await author.notes.remove(a.id)
  await eventually(() => String(titles(watch)) === 'c')
  leave()
})

test('a filtered list loses an item that leaves the filter, and listeners are told each time', async () => {
  await using shared = await sharedNotes()
  const { reader, author } = shared
  const { id } = await author.notes.create({ title: 'plan', shared: 'yes' })
  const watch = reader.notes.watch({ title: { starts: 'p' } })
  const seen: (readonly string[] | undefined)[] = []
  const leave = watch.subscribe(() => seen.push(titles(watch)))
  await eventually(() => seen.length === 1)
  await author.notes.patch(id, { title: 'done' })
  await eventually(() => seen.length === 2)
  assert.deepEqual(seen, [['plan'], []])
  leave()
})

test('a loop gets each state of the list, and its end closes the stream', async () => {
  await using shared = await sharedNotes()
  const { reader, author, streams } = shared
  const states: (readonly string[])[] = []
  for await (const items of reader.notes.watch()) {
    states.push(items.map(({ title }) => title))
    if (states.length === 2) break
    await eventually(() => streams().length === 1)
    await author.notes.create({ title: 'one', shared: 'yes' })
  }
  assert.deepEqual(states, [[], ['one']])
  assert.equal(streams()[0]?.signal.aborted, true)
})

test('changes that come together are read once, and nothing is read without a subscriber', async () => {
  await using shared = await sharedNotes()
  const { reader, author, sent, streams } = shared
  const watch = reader.notes.watch()
  const leave = watch.subscribe(() => {})
  const leaveToo = watch.subscribe(() => {})
  await eventually(() => streams().length === 1)
  await author.batch(({ notes }) => {
    for (const title of ['1', '2', '3', '4', '5']) notes.create({ title, shared: 'yes' })
  })
  await eventually(() => watch.snapshot()?.length === 5)
  // The first list, its stream, and the list after the changes.
  assert.equal(sent.length, 3)
  leave()
  assert.equal(streams()[0]?.signal.aborted, false)
  leaveToo()
  assert.equal(streams()[0]?.signal.aborted, true)
  await author.notes.create({ title: '6', shared: 'yes' })
  assert.equal(sent.length, 3)
  const again = watch.subscribe(() => {})
  await eventually(() => watch.snapshot()?.length === 6)
  again()
})

test('a list stays current over failed connections', async () => {
  await using shared = await sharedNotes()
  const { reader, author, failures } = shared
  failures.push(new TypeError('The connection failed'))
  const watch = reader.notes.watch()
  const leave = watch.subscribe(() => {})
  await author.notes.create({ title: 'one', shared: 'yes' })
  await eventually(() => String(titles(watch)) === 'one')
  assert.deepEqual(failures, [])
  leave()
})

test('a list has the rights that its caller has now, without a change of an item', async () => {
  const people = resource(
    {
      email: email().unique(),
      password: password(),
      role: choice(['guest', 'editor', 'admin']).default('guest'),
    },
    { access: { read: signedIn, create: role('admin'), update: role('admin') } },
  )
  const drafts = resource(
    { title: text() },
    { access: { read: [role('editor'), where({ title: 'open' })], create: role('admin') } },
  )
  const definition = service({
    title: 'Drafts',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, drafts },
  })
  await using opened = await openService(definition, {
    database: 'file::memory:',
    rate: 'off',
    admin: { login: adminLogin, password: adminPassword },
  })
  const person = { email: 'ada@example.org', password: adminPassword }
  const { id } = await opened.system.people.create({ ...person, role: 'editor' })
  await opened.system.drafts.create({ title: 'open' })
  await opened.system.drafts.create({ title: 'secret' })
  const { authorization } = basic(person.email, person.password)
  const { handle: fetch } = opened
  const api = client<typeof definition>('http://localhost', { fetch, authorization })
  const changes = api.drafts.changes()
  const first = changes.next()
  const watch = api.drafts.watch()
  const leave = watch.subscribe(() => {})
  await eventually(() => watch.snapshot()?.length === 2)
  await opened.system.people.patch(id, { role: 'guest' })
  await eventually(() => String(titles(watch)) === 'open')
  assert.equal((await first).value?.type, 'reset')
  const second = changes.next()
  await opened.system.people.patch(id, { role: 'editor' })
  await eventually(() => watch.snapshot()?.length === 2)
  leave()
  assert.equal((await second).value?.type, 'reset')
  await changes.return()
})

test('a watch ends with the problem of its request, and begins again with the next subscriber', async () => {
  await using shared = await sharedNotes()
  const { author } = shared
  const watch = author.users.watch({ limit: -1 })
  let told = 0
  const leave = watch.subscribe(() => (told += 1))
  await eventually(() => told === 1)
  const isRefused = (error: unknown) => error instanceof Problem && error.status === 400
  assert.throws(() => watch.snapshot(), isRefused)
  leave()
  await assert.rejects(async () => {
    for await (const _ of watch) assert.fail('There is no list')
  }, isRefused)
})
