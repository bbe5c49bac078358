/** A service in another program, its people, and the requests that they send to that program. */

import { createServer, type IncomingMessage } from 'node:http'
import {
  action,
  anyone,
  choice,
  email,
  integer,
  type OpenOptions,
  type OpenService,
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
} from '../../src/index.ts'
import { freshDatabase } from '../database.ts'

const users = resource(
  {
    email: email().unique(),
    name: text({ max: 100 }),
    password: password({ min: 12 }),
    role: choice(['member', 'editor', 'admin']).default('member').writableBy(role('admin')),
  },
  {
    access: {
      read: [self, role('admin')],
      create: anyone,
      update: [self, role('admin')],
      delete: role('admin'),
    },
  },
)

const notes = resource(
  {
    owner: ref('users', { onDelete: 'cascade' }).fromPrincipal(),
    text: text({ min: 1, max: 100 }),
    likes: integer().default(0).readOnly(),
    secret: text().optional().visibleTo(role('admin')),
  },
  {
    access: {
      read: [owner('owner'), role('editor')],
      create: signedIn,
      update: [owner('owner'), role('editor')],
      delete: owner('owner'),
    },
  },
)

export const definition = service(
  {
    title: 'Notes',
    accounts: {
      resource: 'users',
      login: 'email',
      password: 'password',
      roles: 'role',
      secondFactor: ['admin'],
    },
    resources: { users, notes },
  },
  {
    notes: {
      checks: [{ field: 'text', message: 'Must not shout.', test: ({ text }) => !text.endsWith('!') }],
      actions: {
        like: action({
          by: signedIn,
          run: ({ id, likes }, _, { notes }) => notes.patch(id, { likes: likes + 1 }),
        }),
        publish: action({
          by: role('editor'),
          result: { by: text() },
          run: (_item, _input, { caller }) => ({ by: caller.id ?? '' }),
        }),
      },
    },
  },
)

export type Opened = OpenService<typeof definition>

export async function openNotes(options: Partial<OpenOptions> = {}): Promise<Opened> {
  return openService(definition, { database: await freshDatabase(), rate: 'off', ...options })
}

export const pass = 'correct horse battery'
export const origin = 'http://localhost'

type Fields = Readonly<Record<string, string>>

export const basic = (login: string, secret = pass): Fields => ({
  authorization: `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`,
})
export const bearer = (token: string): Fields => ({ authorization: `Bearer ${token}` })

/** A request to the program, not to the service. */
export const ask = (headers: Fields = {}, method = 'GET') =>
  new Request(`${origin}/dashboard`, { method, headers })

export async function addUser({ system }: Opened, name: string, role?: 'member' | 'editor' | 'admin') {
  const login = `${name}@example.org`
  const { id } = await system.users.create({ email: login, name, password: pass, ...(role && { role }) })
  return { id, login, fields: basic(login) }
}

/** The token of an account, with its own scopes. */
export async function createToken(opened: Opened, fields: Fields, scopes?: readonly string[]) {
  const reply = await opened.handle(
    new Request(`${origin}/tokens`, {
      method: 'POST',
      headers: { ...fields, 'content-type': 'application/json' },
      body: JSON.stringify(scopes ? { scopes } : {}),
    }),
  )
  const { id, token } = (await reply.json()) as { readonly id: string; readonly token: string }
  return { id, fields: bearer(token) }
}

/** The header fields of a browser that has signed in, on a page of this origin. */
export async function signIn(opened: Opened, login: string): Promise<Fields> {
  const browser = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
  const reply = await opened.handle(
    new Request(`${origin}/sign-in`, {
      method: 'POST',
      headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ login, password: pass }).toString(),
    }),
  )
  const [cookie = ''] = reply.headers.getSetCookie()
  return { ...browser, cookie: cookie.split(';')[0] ?? '' }
}

/** The caller of a request that must not be refused. */
export async function callerOf(opened: Opened, headers: Fields, method = 'GET') {
  const found = await opened.authenticate(ask(headers, method))
  if (found instanceof Response) throw new Error(await found.text())
  return found
}

/** Sends a request with these fields to a server of `node:http`, and returns it as that has it. */
export async function receivedOverSocket<Result>(
  headers: Fields,
  use: (incoming: IncomingMessage) => Promise<Result>,
): Promise<Result> {
  const received = Promise.withResolvers<Result>()
  const server = createServer((incoming, outgoing) => {
    use(incoming)
      .then(received.resolve, received.reject)
      .finally(() => outgoing.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  await (await fetch(`http://127.0.0.1:${port}/dashboard`, { headers })).text()
  server.close()
  return received.promise
}
