/** What `after` hooks write: transactions of their own, attributed to the hook. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  check,
  choice,
  email,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
} from '../../../src/index.ts'
import { admin, adminPassword, basic, serve, type TestService } from '../../service.ts'
import { access, notes, withHooks } from './after-hooks.ts'

function failuresOf(s: TestService) {
  return s.observations.filter((one) => one.kind === 'logic-failed')
}

describe('the writes of after hooks', () => {
  it('are transactions of their own, with checks and hooks, attributed to the hook and the request', async () => {
    const logs = resource({ text: text() }, { access })
    const problems: string[] = []
    const definition = service(
      { title: 'Notes', resources: { notes, logs } },
      {
        notes: {
          after: {
            async created(note, { logs }) {
              await logs.create({ text: `created ${note.title}` })
              await logs.create({ text: '' }).catch(({ type }) => problems.push(type))
            },
          },
        },
        logs: { checks: [check('text', 'Must not be empty.', ({ text }) => text !== '')] },
      },
    )
    await using s = await serve(definition)
    const created = await s.request('POST /notes', {}, { title: 'a' })
    await s.service.settled()
    assert.deepEqual(problems, ['invalid-content'])
    const { json } = await s.request('GET /logs')
    assert.deepEqual(
      json.map((log: { text: string }) => log.text),
      ['created a'],
    )
    const entry = (await s.service.store.readChanges(0, 10)).find(({ table }) => table === 'logs')
    const name = 'notes.after.created'
    assert.deepEqual(entry?.actor, { name, path: [name] })
    assert.equal(entry?.request, created.fields['request-id'])
  })

  it('run hooks in turn, five deep; then the entry is parked with a log line that names the cycle', async () => {
    let runs = 0
    const definition = withHooks({
      async updated({ id, title }, { notes }) {
        runs += 1
        await notes.patch(id, { title: `${title}.` })
      },
    })
    await using s = await serve(definition)
    const { json } = await s.request('POST /notes', {}, { title: 'a' })
    await s.request(`PATCH /notes/${json.id}`, {}, { title: 'b' })
    await assert.rejects(
      s.service.settled(),
      /more than 5 deep: notes\.after\.updated → notes\.after\.updated/,
    )
    assert.equal(runs, 5)
    const [failure] = failuresOf(s)
    assert.equal(failuresOf(s).length, 1)
    assert.ok(failure?.kind === 'logic-failed' && failure.parked !== undefined)
  })

  it('have all rights, and by as(caller) the present rights of the author', async () => {
    const users = resource(
      {
        email: email().unique(),
        password: password({ min: 12 }),
        role: choice(['user', 'admin']).default('user').writableBy(role('admin')),
      },
      { access: { read: signedIn, create: role('admin'), update: self, delete: role('admin') } },
    )
    const diaries = resource(
      { title: text(), by: ref('users', { onDelete: 'cascade' }).fromPrincipal() },
      { access: { read: owner('by'), create: signedIn, update: owner('by') } },
    )
    const seen: unknown[] = []
    const definition = service(
      {
        title: 'Diaries',
        accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
        resources: { users, diaries },
      },
      {
        diaries: {
          after: {
            async created(diary, { diaries, as, caller }) {
              const [own, all] = [await as(caller).diaries.count(), await diaries.count()]
              seen.push({ title: diary.title, own, all, caller })
            },
          },
        },
        users: {
          after: {
            created: (user) => void seen.push(Object.keys(user).toSorted()),
          },
        },
      },
    )
    await using s = await serve(definition)
    const bob = { email: 'bob@example.org', password: adminPassword }
    const { json: account } = await s.request('POST /users', admin, bob)
    await s.service.settled()
    const asBob = basic(bob.email, bob.password)
    await s.request('POST /diaries', admin, { title: 'of admin' })
    await s.service.settled()
    await s.request('POST /diaries', asBob, { title: 'of bob' })
    await s.service.settled()
    const { json: token } = await s.request('POST /tokens', asBob, { name: 't', scopes: ['diaries:create'] })
    const withToken = { authorization: `Bearer ${token.token}` }
    assert.equal((await s.request('POST /diaries', withToken, { title: 'by token' })).status, 201)
    await s.service.settled()
    const caller = { kind: 'account', id: account.id, roles: ['user'] }
    assert.deepEqual(seen[0], ['createdAt', 'disabled', 'email', 'id', 'role', 'updatedAt'])
    assert.deepEqual(
      (seen.slice(2) as { title: string }[]).toSorted((a, b) => (a.title < b.title ? -1 : 1)),
      [
        // The scopes of the token do not allow to read.
        { title: 'by token', own: 0, all: 3, caller },
        { title: 'of bob', own: 1, all: 2, caller },
      ],
    )
  })
})
