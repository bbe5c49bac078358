/** A service that makes every error, and a request for each. */

import { anyone, choice, email, nobody, password, ref, resource, role, service, state, text } from 'restwell'
import { basic, type Reply, serve, type TestService } from '../service.ts'

export const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
export const definition = service({
  title: 'Errors',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: anyone, create: anyone } },
    ),
    notes: resource(
      {
        slug: text().unique(),
        status: state({ initial: 'new', transitions: { end: { from: 'new', to: 'old' } } }),
        next: ref('notes').optional(),
      },
      { tombstones: true, access: open },
    ),
    strict: resource({ slug: text() }, { conditional: 'required', access: open }),
    closed: resource({ slug: text() }, { access: { read: nobody } }),
  },
})

export const ada = { email: 'ada@example.org', password: 'analytical' }
export const asAda = basic(ada.email, ada.password)
export const asJson = { 'content-type': 'application/json' }
export const absentId = '019a0000-0000-7000-8000-000000000000'

export async function start() {
  const s = await serve(definition, { limits: { content: 1000 } })
  await s.request('POST /users', {}, ada)
  const note = await s.request('POST /notes', {}, { slug: 'a' })
  const referenced = await s.request('POST /notes', {}, { slug: 'b' })
  await s.request('POST /notes', {}, { slug: 'c', next: referenced.json.id })
  const deleted = await s.request('POST /notes', {}, { slug: 'd' })
  await s.request(`DELETE ${deleted.fields.location}`)
  const strict = await s.request('POST /strict', {}, { slug: 'a' })
  const at = ({ fields }: Reply) => fields.location as string
  return { s, note: at(note), referenced: at(referenced), deleted: at(deleted), strict: at(strict) }
}

export type Exchange = readonly [type: string, status: number, cacheControl: string, reply: Reply]

/** One exchange for each kind of error that a client library can provoke. */
export async function everyError(): Promise<{ s: TestService; exchanges: readonly Exchange[] }> {
  const { s, note, referenced, deleted, strict } = await start()
  const { request } = s
  const stale = { 'if-match': '"stale"' }
  const exchanges: Exchange[] = [
    ['malformed-request', 400, 'no-cache', await request('GET /notes/%zz')],
    ['malformed-content', 400, 'no-cache', await request('POST /notes', asJson, '{')],
    ['unknown-parameter', 400, 'no-cache', await request('GET /notes?nonsense=1')],
    ['invalid-parameter', 400, 'no-cache', await request('GET /notes?limit=0')],
    ['invalid-cursor', 400, 'no-cache', await request('GET /notes?after=nonsense')],
    ['unauthenticated', 401, 'no-store', await request('GET /closed')],
    ['unauthenticated', 401, 'no-store', await request('GET /notes', basic('x@example.org', 'x'))],
    ['forbidden', 403, 'no-store', await request('GET /closed', asAda)],
    ['not-found', 404, 'no-cache', await request('GET /nothing')],
    ['not-found', 404, 'no-cache', await request(`GET /notes/${absentId}`)],
    ['not-found', 404, 'no-cache', await request('GET /problems/nonsense')],
    ['not-found', 404, 'no-cache', await request('POST /notes/')],
    ['method-not-allowed', 405, 'no-cache', await request('DELETE /notes')],
    ['not-acceptable', 406, 'no-cache', await request('GET /notes', { accept: 'image/png' })],
    ['duplicate', 409, 'no-cache', await request('POST /notes', {}, { slug: 'a' })],
    ['referenced', 409, 'no-cache', await request(`DELETE ${referenced}`)],
    ['gone', 410, 'no-cache', await request(`GET ${deleted}`)],
    ['precondition-failed', 412, 'no-cache', await request(`DELETE ${note}`, stale)],
    ['content-too-large', 413, 'no-cache', await request('POST /notes', asJson, ' '.repeat(1001))],
    ['uri-too-long', 414, 'no-cache', await request(`GET /${'x'.repeat(8192)}`)],
    ['unsupported-media-type', 415, 'no-cache', await request('POST /notes', {}, 'x')],
    [
      'unsupported-content-coding',
      415,
      'no-cache',
      await request('POST /notes', { ...asJson, 'content-encoding': 'nonsense' }, 'x'),
    ],
    ['expectation-failed', 417, 'no-cache', await request('GET /notes', { expect: 'nonsense' })],
    ['invalid-content', 422, 'no-cache', await request('POST /notes', {}, {})],
    ['precondition-required', 428, 'no-store', await request(`DELETE ${strict}`)],
    [
      'header-fields-too-large',
      431,
      'no-store',
      await request('GET /notes', { 'x-long': 'x'.repeat(17_000) }),
    ],
    ['not-implemented', 501, 'no-store', await request('FOO /notes')],
  ]
  await request(`PATCH ${note}`, {}, { status: 'old' })
  exchanges.push(['state-conflict', 409, 'no-cache', await request(`PATCH ${note}`, {}, { status: 'new' })])
  return { s, exchanges }
}

/** Sends a request while every call of the store fails. */
export async function requestBroken(s: TestService, cause: Error): Promise<Reply> {
  const { store } = s.service
  const find = store.find
  store.find = () => {
    throw cause
  }
  try {
    return await s.request(`GET /notes/${absentId}`)
  } finally {
    store.find = find
  }
}
