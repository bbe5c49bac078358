/** `as` of an opened service: the rights of a caller, judged at each call. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser, callerOf, createToken, type Opened, openNotes, origin, pass, signIn } from './callers.ts'

const ended = { type: 'unauthenticated', status: 401 }
const forbidden = { type: 'forbidden', status: 403 }
const absent = { type: 'not-found', status: 404 }

async function asUser(opened: Opened, name: string, role?: 'member' | 'editor' | 'admin') {
  const user = await addUser(opened, name, role)
  return { ...user, ...opened.as(await callerOf(opened, user.fields)) }
}

test('reads and writes have the rights of the caller, who owns what it creates', async () => {
  await using opened = await openNotes()
  const ada = await asUser(opened, 'ada')
  const eve = await asUser(opened, 'eve')
  const note = await ada.notes.create({ text: 'mine' })
  assert.equal(note.owner, ada.id)
  assert.equal('secret' in note, false)
  assert.deepEqual(await eve.notes.list(), [])
  assert.equal(await eve.notes.count(), 0)
  await assert.rejects(eve.notes.get(note.id), absent)
  await assert.rejects(eve.notes.patch(note.id, { text: 'hers' }), absent)
  await assert.rejects(eve.notes.remove(note.id), absent)
  await assert.rejects(ada.notes.create({ text: 'Help!' }), { type: 'invalid-content', status: 422 })
  await assert.rejects(ada.notes.patch(note.id, { likes: 9 }), { type: 'invalid-content' })
  await assert.rejects(ada.notes.create({ text: 'x', owner: eve.id }), { type: 'invalid-content' })
  await assert.rejects(ada.notes.list({ secret: 'x' } as never), { status: 400 })
  assert.equal((await ada.notes.patch(note.id, { text: 'still mine' })).text, 'still mine')
  const signedOut = opened.as(await callerOf(opened, {}))
  assert.deepEqual(await signedOut.notes.list(), [])
  await assert.rejects(signedOut.notes.create({ text: 'x' }), ended)
})

test('actions need the right to them and to their item, and see the caller', async () => {
  await using opened = await openNotes()
  const ada = await asUser(opened, 'ada')
  const eve = await asUser(opened, 'eve')
  const editor = await asUser(opened, 'edna', 'editor')
  const { id } = await ada.notes.create({ text: 'mine' })
  assert.equal((await ada.notes.like(id, {}))?.likes, 1)
  await assert.rejects(eve.notes.like(id, {}), absent)
  await assert.rejects(ada.notes.publish(id, {}), forbidden)
  assert.deepEqual(await editor.notes.publish(id, {}), { by: editor.id })
  const signedOut = opened.as(await callerOf(opened, {}))
  await assert.rejects(signedOut.notes.publish(id, {}), absent)
})

test('a session that ended, a revoked token and a changed password reject the next call with 401', async () => {
  await using opened = await openNotes()
  const { login, id, fields } = await addUser(opened, 'ada')
  const session = await signIn(opened, login)
  const token = await createToken(opened, fields)
  const bySession = opened.as(await callerOf(opened, session))
  const byToken = opened.as(await callerOf(opened, token.fields))
  const byPassword = opened.as(await callerOf(opened, fields))
  for (const { notes } of [bySession, byToken, byPassword]) assert.deepEqual(await notes.list(), [])
  const signedOut = await opened.handle(
    new Request(`${origin}/sign-out`, {
      method: 'POST',
      headers: { ...session, 'content-type': 'application/x-www-form-urlencoded' },
    }),
  )
  assert.equal(signedOut.status, 303)
  await assert.rejects(bySession.notes.list(), ended)
  await assert.rejects(bySession.notes.create({ text: 'x' }), ended)
  const headers = fields
  await opened.handle(new Request(`${origin}/tokens/${token.id}`, { method: 'DELETE', headers }))
  await assert.rejects(byToken.notes.list(), ended)
  await opened.system.users.patch(id, { password: `${pass} 2` })
  await assert.rejects(byPassword.notes.list(), ended)
  assert.equal(await opened.system.notes.count(), 0)
})

test('a session and a token that expire between two calls reject the second one with 401', async () => {
  let now = Date.now()
  await using opened = await openNotes({ clock: () => new Date(now) })
  const { login, fields } = await addUser(opened, 'ada')
  const token = await createToken(opened, fields)
  const bySession = opened.as(await callerOf(opened, await signIn(opened, login)))
  const byToken = opened.as(await callerOf(opened, token.fields))
  const day = 86_400_000
  now += 29 * day
  assert.deepEqual(await bySession.notes.list(), [])
  now += 2 * day
  await assert.rejects(bySession.notes.list(), ended)
  await assert.rejects(
    bySession.transaction(() => 'done'),
    ended,
  )
  assert.deepEqual(await byToken.notes.list(), [])
  now += 60 * day
  await assert.rejects(byToken.notes.list(), ended)
})

test('a disabled account loses all rights at once, and gets them again', async () => {
  await using opened = await openNotes()
  const { login, id, fields } = await addUser(opened, 'ada')
  const callers = [fields, await signIn(opened, login), (await createToken(opened, fields)).fields]
  const all = await Promise.all(callers.map(async (one) => opened.as(await callerOf(opened, one))))
  await opened.system.users.patch(id, { disabled: true } as never)
  for (const { notes } of all) {
    await assert.rejects(notes.list(), ended)
    await assert.rejects(notes.like('x', {}), ended)
  }
  await opened.system.users.patch(id, { disabled: false } as never)
  for (const { notes } of all) assert.deepEqual(await notes.list(), [])
  await opened.system.users.remove(id)
  for (const { notes } of all) await assert.rejects(notes.list(), ended)
})

test('roles count as they are at the call; one that requires a second factor is 403 without it', async () => {
  await using opened = await openNotes()
  const ada = await asUser(opened, 'ada')
  const eve = await asUser(opened, 'eve')
  // The last administrator could not lose the role.
  await addUser(opened, 'root', 'admin')
  await ada.notes.create({ text: 'mine' })
  assert.equal(await eve.notes.count(), 0)
  await opened.system.users.patch(eve.id, { role: 'editor' })
  assert.equal(await eve.notes.count(), 1)
  await opened.system.users.patch(eve.id, { role: 'admin' })
  await assert.rejects(eve.notes.count(), forbidden)
  await opened.system.users.patch(eve.id, { role: 'member' })
  assert.equal(await eve.notes.count(), 0)
})

test('a token has its scopes and no more', async () => {
  await using opened = await openNotes()
  const ada = await addUser(opened, 'ada')
  const reader = await createToken(opened, ada.fields, ['notes:read'])
  const writer = await createToken(opened, ada.fields, ['notes:read', 'notes:create', 'notes:update'])
  const { notes: written } = opened.as(await callerOf(opened, writer.fields))
  const { id } = await written.create({ text: 'mine' })
  await assert.rejects(written.remove(id), forbidden)
  const { notes, users } = opened.as(await callerOf(opened, reader.fields))
  assert.equal((await notes.get(id)).text, 'mine')
  await assert.rejects(notes.patch(id, { text: 'x' }), forbidden)
  await assert.rejects(notes.create({ text: 'x' }), forbidden)
  await assert.rejects(notes.like(id, {}), forbidden)
  assert.deepEqual(await users.list(), [])
})

test('nobody takes over an account: the own password and login need a request, those of others their scope', async () => {
  await using opened = await openNotes()
  const ada = await addUser(opened, 'ada')
  for (const fields of [ada.fields, await signIn(opened, ada.login)]) {
    const { users } = opened.as(await callerOf(opened, fields))
    await assert.rejects(users.patch(ada.id, { password: `${pass} 2` }), forbidden)
    await assert.rejects(users.patch(ada.id, { email: 'other@example.org' }), forbidden)
    await assert.rejects(users.patch(ada.id, { role: 'admin' }), { status: 422 })
    assert.equal((await users.patch(ada.id, { name: 'Ada' })).name, 'Ada')
  }
  assert.equal((await opened.system.users.get(ada.id)).email, ada.login)
  const eve = await addUser(opened, 'eve')
  const token = await createToken(opened, ada.fields, ['users:read', 'users:update'])
  await opened.system.users.patch(ada.id, { role: 'admin' })
  const { users } = opened.as(await callerOf(opened, token.fields))
  assert.equal((await users.patch(eve.id, { name: 'Eve' })).name, 'Eve')
  await assert.rejects(users.patch(eve.id, { password: `${pass} 2` }), forbidden)
  await assert.rejects(users.patch(eve.id, { email: 'other@example.org' }), forbidden)
  await assert.rejects(users.patch(eve.id, { role: 'admin' }), { status: 422 })
})

test('of an item that the caller may not read, a write returns the id alone', async () => {
  await using opened = await openNotes()
  const { users } = opened.as(await callerOf(opened, {}))
  const made = await users.create({ email: 'ada@example.org', name: 'Ada', password: pass })
  assert.deepEqual(made, { id: made.id })
  await assert.rejects(users.get(made.id), absent)
})

test('only callers of this service are taken, not what looks like one', async () => {
  await using opened = await openNotes()
  await using other = await openNotes()
  const { fields } = await addUser(opened, 'ada')
  const me = await callerOf(opened, fields)
  const foreign = [undefined, null, 'ada', { ...me }, { kind: 'system', roles: [] }, structuredClone(me)]
  for (const given of foreign) {
    assert.throws(() => opened.as(given as never), { name: 'TypeError', message: /'authenticate'/ })
  }
  assert.throws(() => other.as(me), TypeError)
  assert.throws(() => Object.assign(me, { id: 'other' }), TypeError)
})
