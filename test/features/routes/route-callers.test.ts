/** The rights of the caller of a route are those of the moment at which its writes are stored. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  boolean,
  choice,
  email,
  list,
  password,
  resource,
  role,
  route,
  service,
  text,
} from '../../../src/index.ts'
import { admin, basic, serve, type TestService } from '../../service.ts'

const pass = 'correct horse battery'
const login = 'ada@example.org'

const people = resource(
  {
    email: email().unique(),
    password: password({ min: 8 }),
    roles: list(choice(['editor', 'reader', 'admin'])).writableBy(role('admin')),
    seen: boolean().default(false),
  },
  { access: { read: anyone, create: role('admin'), update: role('admin') } },
)
const notes = resource({ words: text() }, { access: { read: anyone } })

/** Called once, when the code of the route has written. */
let meanwhile: (() => Promise<unknown>) | undefined

const definition = service(
  {
    title: 'Notes',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'roles' },
    resources: { people, notes },
  },
  {
    '/': {
      routes: {
        '/notify': route({
          methods: ['POST'],
          by: role('editor'),
          async run(_, { notes, caller }) {
            await notes.create({ words: [...caller.roles].toSorted().join() })
            const work = meanwhile
            meanwhile = undefined
            await work?.()
            return new Response(null, { status: 204 })
          },
        }),
      },
    },
  },
)

interface Editor {
  readonly account: string
  readonly token: string
  readonly bearer: { readonly authorization: string }
}

async function createEditor(s: TestService): Promise<Editor> {
  const person = { email: login, password: pass, roles: ['editor'] }
  const { id } = (await s.request('POST /people', admin, person)).json
  const made = await s.request('POST /tokens', basic(login, pass), { scopes: ['*:write'] })
  const bearer = { authorization: `Bearer ${made.json.token}` }
  return { account: `/people/${id}`, token: String(made.fields.location), bearer }
}

const words = async (s: TestService) =>
  (await s.request('GET /notes')).json.map((note: { words: string }) => note.words)

const losses: Record<string, [number, (s: TestService, editor: Editor) => Promise<{ status: number }>]> = {
  'its role': [403, (s, { account }) => s.request(`PATCH ${account}`, admin, { roles: [] })],
  'its account': [401, (s, { account }) => s.request(`PATCH ${account}`, admin, { disabled: true })],
  'its token': [401, (s, { token }) => s.request(`DELETE ${token}`, basic(login, pass))],
}

for (const [what, [expected, lose]] of Object.entries(losses)) {
  test(`a caller who loses ${what} while the code runs is refused, and nothing is written`, async () => {
    await using s = await serve(definition)
    const editor = await createEditor(s)
    meanwhile = async () => assert.ok((await lose(s, editor)).status < 300)
    assert.equal((await s.request('POST /notify', editor.bearer, '')).status, expected)
    assert.deepEqual(await words(s), [])
  })
}

test('after another change of the rights the code runs again with the present ones', async () => {
  await using s = await serve(definition)
  const { account, bearer } = await createEditor(s)
  meanwhile = () => s.request(`PATCH ${account}`, admin, { roles: ['editor', 'reader'] })
  assert.equal((await s.request('POST /notify', bearer, '')).status, 204)
  assert.deepEqual(await words(s), ['editor,reader'])
})

test('a change of the account that no right depends on changes nothing', async () => {
  await using s = await serve(definition)
  const { account, bearer } = await createEditor(s)
  let runs = 0
  meanwhile = () => {
    runs += 1
    return s.request(`PATCH ${account}`, admin, { seen: true })
  }
  assert.equal((await s.request('POST /notify', bearer, '')).status, 204)
  assert.deepEqual([runs, await words(s)], [1, ['editor']])
})
