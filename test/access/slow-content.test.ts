/** The rights to a write are those of the moment of the commit, also where the content comes long after the header. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import {
  action,
  anyone,
  choice,
  email,
  file,
  password,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'
import { admin, basic, serve, type TestService } from '../service.ts'

const pass = 'correct horse battery'
const login = 'ada@example.org'

const people = resource(
  {
    email: email().unique(),
    password: password({ min: 8 }),
    role: choice(['reader', 'editor', 'admin']).default('reader').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: role('admin') } },
)
const notes = resource(
  { title: text(), scan: file({ types: ['text/plain'], max: '1 kB' }).optional() },
  { access: { read: anyone, create: role('editor', 'admin'), update: role('editor', 'admin') } },
)
/** The code of actions reports that it has begun, and waits. */
const code = { begun: () => {}, end: Promise.resolve() }
const run = async () => {
  code.begun()
  await code.end
}
const by = role('editor')
const definition = service(
  {
    title: 'Notes',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, notes },
  },
  {
    notes: {
      actions: {
        sign: action({
          by,
          async run({ id }, _, { notes }) {
            await notes.patch(id, { title: 'signed' })
            await run()
          },
        }),
        add: action({
          on: 'collection',
          by,
          async run(_, { notes }) {
            await notes.create({ title: 'added' })
            await run()
          },
        }),
      },
    },
  },
)

/** Sends a request without its content; resolves when the service waits for that. Sending it resolves with the status. */
async function begin(s: TestService, line: string, headers: Record<string, string>, body: string) {
  const [method = '', path = ''] = line.split(' ')
  const own = { expect: '100-continue', 'content-length': `${body.length}`, ...headers }
  const sent = request({ host: '127.0.0.1', port: s.port, method, path, headers: own })
  const received = once(sent, 'response')
  sent.flushHeaders()
  // A response instead is that of a request that was refused before.
  await Promise.race([once(sent, 'continue'), received.then(() => assert.fail(line))])
  return async () => {
    sent.end(body)
    const [response]: IncomingMessage[] = await received
    response?.resume()
    return response?.statusCode
  }
}

interface Editor {
  readonly account: string
  readonly token: string
  readonly bearer: { readonly authorization: string }
}

async function createEditor(s: TestService): Promise<Editor> {
  const { id } = (await s.request('POST /people', admin, { email: login, password: pass, role: 'editor' }))
    .json
  const made = await s.request('POST /tokens', basic(login, pass), { scopes: ['*:read', '*:write'] })
  const bearer = { authorization: `Bearer ${made.json.token}` }
  return { account: `/people/${id}`, token: String(made.fields.location), bearer }
}

const json = { 'content-type': 'application/json' }
const note = JSON.stringify({ title: 'late' })
const batch = JSON.stringify({ requests: [{ method: 'POST', path: '/notes', body: { title: 'late' } }] })

const losses: Record<string, [number, (s: TestService, editor: Editor) => Promise<{ status: number }>]> = {
  'a role is lost': [403, (s, { account }) => s.request(`PATCH ${account}`, admin, { role: 'reader' })],
  'an account is disabled': [
    401,
    (s, { account }) => s.request(`PATCH ${account}`, admin, { disabled: true }),
  ],
  'a token is revoked': [401, (s, { token }) => s.request(`DELETE ${token}`, basic(login, pass))],
}

for (const [what, [expected, lose]] of Object.entries(losses)) {
  test(`when ${what} before the content comes, nothing is written`, async () => {
    await using s = await serve(definition)
    const editor = await createEditor(s)
    const { bearer } = editor
    const first = await s.request('POST /notes', bearer, { title: 'first' })
    const { location: item } = first.fields
    const begun = await Promise.all([
      begin(s, 'POST /notes', { ...bearer, ...json }, note),
      begin(s, 'POST /batch', { ...bearer, ...json }, batch),
      begin(s, `PATCH ${item}`, { ...bearer, 'content-type': 'application/merge-patch+json' }, note),
      begin(s, `PUT ${item}/scan`, { ...bearer, 'content-type': 'text/plain' }, 'late'),
    ])
    assert.ok((await lose(s, editor)).status < 300)
    s.advance(1000)
    for (const finish of begun) assert.equal(await finish(), expected)
    assert.deepEqual((await s.request('GET /notes')).json, [first.json])
  })
}

for (const [what, [expected, lose]] of Object.entries(losses)) {
  test(`when ${what} while the code of an action runs, nothing is written`, async () => {
    await using s = await serve(definition)
    const editor = await createEditor(s)
    const { bearer } = editor
    const first = await s.request('POST /notes', bearer, { title: 'first' })
    const sign = `${first.fields.location}/sign`
    const requests = [{ method: 'POST', path: sign }]
    const lines = [
      [`POST ${sign}`, undefined],
      ['POST /notes/add', undefined],
      ['POST /batch', { requests }],
    ] as const
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    let count = 0
    Object.assign(code, {
      begun: () => {
        count += 1
        if (count === lines.length) begun.resolve()
      },
      end: end.promise,
    })
    const replies = lines.map(([line, body]) => s.request(line, bearer, body))
    await begun.promise
    assert.ok((await lose(s, editor)).status < 300)
    end.resolve()
    for (const { status } of await Promise.all(replies)) assert.equal(status, expected)
    assert.deepEqual((await s.request('GET /notes')).json, [first.json])
  })
}

test('slow content of a caller whose rights are the same is written', async () => {
  await using s = await serve(definition)
  const { bearer, account } = await createEditor(s)
  const finish = await begin(s, 'POST /notes', { ...bearer, ...json }, note)
  const finishOther = await begin(s, 'POST /notes', { ...basic(login, pass), ...json }, note)
  await s.request(`PATCH ${account}`, admin, { email: login })
  s.advance(20_000)
  assert.deepEqual([await finish(), await finishOther()], [201, 201])
})
