/** Writes in an older version of the interface that are refused, with its names, or whose code fails. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyone,
  choice,
  email,
  nobody,
  password,
  refs,
  resource,
  service,
  state,
  text,
} from '../../src/index.ts'
import { admin, serve } from '../service.ts'

describe('code that fails', () => {
  const notes = resource({ title: text() }, { access: { read: anyone, create: anyone, update: anyone } })
  const fails = {
    throws: () => {
      throw new Error('internal detail')
    },
    // JavaScript may return undefined where the types require an object.
    nothing: (): object => Reflect.get({}, 'nothing'),
    list: () => [],
    promise: () => Promise.resolve({}),
    circle: () => {
      const one: Record<string, unknown> = {}
      one.title = one
      return one
    },
  }
  const same = (item: object) => item
  const fields = { title: text() }

  for (const [kind, fail] of Object.entries(fails)) {
    it(`500 without details, logged, and nothing is written: ${kind}`, async () => {
      await using s = await serve(
        service({
          title: 'Notes',
          name: 'notes',
          versions: {
            v1: { notes: { fields, down: fail, up: same } },
            v2: { notes: { fields, down: same, up: fail } },
          },
          resources: { notes },
        }),
      )
      const made = await s.request('POST /notes', {}, { title: 'A' })
      const attempts = [
        await s.request(`GET /notes/${made.json.id}?api-version=v1`),
        await s.request('GET /notes?api-version=v1'),
        await s.request('POST /notes?api-version=v1', {}, { title: 'B' }),
        await s.request(`PATCH /notes/${made.json.id}?api-version=v1`, {}, { title: 'B' }),
        await s.request('POST /notes?api-version=v2', {}, { title: 'B' }),
        await s.request(`PUT /notes/${made.json.id}?api-version=v2`, {}, { title: 'B' }),
      ]
      for (const reply of attempts) {
        assert.equal(reply.status, 500, reply.text)
        assert.doesNotMatch(reply.text, /internal detail|versions/)
      }
      const logged = s.observations.filter(({ kind: one }) => one === 'logic-failed')
      assert.equal(logged.length, attempts.length)
      assert.ok(logged.every((one) => 'hook' in one && String(one.hook).startsWith('versions.v')))
      assert.deepEqual(
        (await s.request('GET /notes')).json.map((one: { title: string }) => one.title),
        ['A'],
      )
    })
  }
})

it('422 for an index of a renamed set that is not tested names the set as the version does', async () => {
  const access = { read: anyone, create: anyone, update: anyone }
  const labels = resource({ name: text() }, { access })
  const notes = resource({ labels: refs('labels') }, { access })
  const versions = { v1: { notes: { renamed: { marks: 'labels' } } } } as const
  await using s = await serve(service({ title: 'N', name: 'n', versions, resources: { labels, notes } }))
  const label = (await s.request('POST /labels', {}, { name: 'bug' })).json.id
  const uri = (await s.request('POST /notes', {}, { labels: [label] })).fields.location
  const remove = [{ op: 'remove', path: '/marks/0' }]
  const patch = (operations: readonly object[]) =>
    s.request(
      `PATCH ${uri}?api-version=v1`,
      { 'content-type': 'application/json-patch+json' },
      JSON.stringify(operations),
    )
  const refused = await patch(remove)
  assert.deepEqual([refused.status, refused.json.errors[0].pointer], [422, '/marks/0'])
  const removed = await patch([{ op: 'test', path: '/marks/0', value: label }, ...remove])
  assert.deepEqual([removed.status, removed.json.marks], [200, []])
})

it('403 and 409 for a state name a renamed field as the version does, and its value as it is', async () => {
  const access = { read: anyone, create: anyone, update: anyone }
  const transitions = {
    begin: { from: 'progress', to: 'doing' },
    end: { from: 'doing', to: 'done', by: nobody },
  }
  const users = resource(
    { email: email().unique(), password: password(), role: choice(['member', 'admin']).default('member') },
    { access: { read: anyone } },
  )
  const tasks = resource({ title: text(), progress: state({ initial: 'progress', transitions }) }, { access })
  const definition = service({
    title: 'Tasks',
    name: 'tasks',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    versions: { v1: { tasks: { renamed: { status: 'progress' } } } },
    resources: { users, tasks },
  })
  await using s = await serve(definition)
  const uri = (await s.request('POST /tasks', {}, { title: 'A' })).fields.location
  const patch = async (version: string, body: object) => {
    const { status, json } = await s.request(`PATCH ${uri}${version}`, admin, body)
    return [status, json.detail, json.errors?.[0].pointer]
  }
  const possible = "is 'progress'. Possible transitions: begin (to 'doing')."
  assert.deepEqual(await patch('', { progress: 'done' }), [409, `The 'progress' ${possible}`, '/progress'])
  assert.deepEqual(await patch('?api-version=v1', { status: 'done' }), [
    409,
    `The 'status' ${possible}`,
    '/status',
  ])
  assert.equal((await patch('?api-version=v1', { status: 'doing' }))[0], 200)
  const forbidden = [403, "Your account may not make the 'status' 'done'.", undefined]
  assert.deepEqual(await patch('?api-version=v1', { status: 'done' }), forbidden)
})
