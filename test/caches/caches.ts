/**
 * Real caches in front of the service store, revalidate, vary and invalidate its responses as they
 * state. Not part of `npm test`, because it needs Varnish and nginx:
 * `apt-get install varnish nginx && node --conditions=source test/caches/caches.ts`
 */

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { anyone, email, owner, password, ref, resource, self, service, signedIn, text } from 'restwell'
import {
  admin,
  basic,
  createRequester,
  type Reply,
  type SendRequest,
  serve,
  type TestService,
} from '../service.ts'
import { type Cache, caches, isInstalled, startCache } from './proxy.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const note = { title: text({ max: 5000 }) }
const definition = service({
  title: 'Cached',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource(
      { email: email().unique().visibleTo(self), password: password() },
      { access: { read: anyone, create: anyone } },
    ),
    plain: resource(note, { access: open }),
    fresh: resource(note, { access: open, cache: { maxAge: 60 } }),
    brief: resource(note, { access: open, cache: { maxAge: 1 } }),
    mixed: resource(
      {
        ...note,
        author: ref('users').fromPrincipal(),
        remark: text().optional().visibleTo(owner('author')),
      },
      { access: { ...open, create: signedIn }, cache: { maxAge: 60 } },
    ),
    keyed: resource({ slug: text(), ...note }, { key: 'slug', access: open, cache: { maxAge: 60 } }),
  },
})

interface Scene {
  readonly cache: Cache
  readonly s: TestService
  /** Through the cache. */
  readonly request: SendRequest
  /** The statuses that the service itself has answered with since the last call. */
  seen(): readonly number[]
}

type Claim = readonly [title: string, holds: (scene: Scene) => Promise<string | undefined>]

const login = { email: 'ada@example.org', password: 'analytical' }
const ada = basic(login.email, login.password)

async function make({ s }: Scene, path: string, body: object, who = {}): Promise<string> {
  const made = await s.request(`POST ${path}`, who, body)
  assert.equal(made.status, 201, made.text)
  return made.fields.location as string
}

const claims: readonly Claim[] = [
  [
    'what has a time to live is stored: the second GET does not reach the service',
    async (scene) => {
      const uri = await make(scene, '/fresh', { title: 'A' })
      scene.seen()
      const first = await scene.request(`GET ${uri}`)
      const second = await scene.request(`GET ${uri}`)
      assert.deepEqual(scene.seen(), [200])
      assert.equal(second.text, first.text)
      return undefined
    },
  ],
  [
    'what is to be revalidated is never shown out of date',
    async (scene) => {
      const uri = await make(scene, '/plain', { title: 'A' })
      await scene.request(`GET ${uri}`)
      await scene.s.request(`PATCH ${uri}`, {}, { title: 'B' })
      assert.equal((await scene.request(`GET ${uri}`)).json.title, 'B')
      return undefined
    },
  ],
  [
    'what is stale is revalidated by its tag: the service answers 304, the client gets 200',
    async (scene) => {
      const uri = await make(scene, '/brief', { title: 'A' })
      scene.seen()
      const first = await scene.request(`GET ${uri}`)
      await pause(2100)
      const second = await scene.request(`GET ${uri}`)
      assert.deepEqual(scene.seen(), [200, 304])
      assert.equal(second.status, 200)
      assert.equal(second.text, first.text)
      return undefined
    },
  ],
  [
    "a client's own If-None-Match is answered 304 through the cache",
    async (scene) => {
      const uri = await make(scene, '/fresh', { title: 'A' })
      const { etag } = (await scene.request(`GET ${uri}`)).fields
      const again = await scene.request(`GET ${uri}`, { 'if-none-match': etag as string })
      assert.equal(again.status, 304)
      return undefined
    },
  ],
  [
    'codings do not mix: each client can read what it gets, and all read the same',
    async (scene) => {
      const title = 'x'.repeat(3000)
      const uri = await make(scene, '/fresh', { title })
      const accepted = ['gzip', 'identity', 'br', 'zstd', 'gzip, br', '']
      for (const coding of [...accepted, ...accepted.toReversed()]) {
        const reply = await scene.request(`GET ${uri}`, { 'accept-encoding': coding })
        const sent = reply.fields['content-encoding'] ?? 'identity'
        assert.ok(sent === 'identity' || coding.includes(sent), `${sent} for ${coding}`)
        assert.equal(JSON.parse(decoded(reply)).title, title)
      }
      return undefined
    },
  ],
  [
    'formats do not mix: a refusal of one Accept is not what another gets',
    async (scene) => {
      const uri = await make(scene, '/fresh', { title: 'A' })
      for (const [accept, status] of [
        ['application/json', 200],
        ['image/png', 406],
        ['application/json', 200],
        ['image/png', 406],
      ] as const) {
        assert.equal((await scene.request(`GET ${uri}`, { accept })).status, status)
      }
      return undefined
    },
  ],
  [
    "two users never get each other's view, nor anyone the view of a user",
    async (scene) => {
      const uri = await make(scene, '/mixed', { title: 'A', remark: 'mine' }, ada)
      for (let round = 0; round < 3; round += 1) {
        for (const path of [uri, '/mixed']) {
          for (const [who, sees] of [
            [{}, false],
            [ada, true],
            [admin, false],
            [{}, false],
          ] as const) {
            const reply = await scene.request(`GET ${path}`, who)
            assert.equal(reply.status, 200)
            assert.equal(reply.text.includes('mine'), sees, path)
          }
        }
      }
      return undefined
    },
  ],
  [
    'a PUT through the cache is seen by the next GET, of what is revalidated',
    async (scene) => {
      const uri = await make(scene, '/plain', { title: 'A' })
      await scene.request(`GET ${uri}`)
      assert.equal((await scene.request(`PUT ${uri}`, {}, { title: 'B' })).status, 200)
      assert.equal((await scene.request(`GET ${uri}`)).json.title, 'B')
      return undefined
    },
  ],
  [
    'a PUT through the cache is seen by the next GET, of what has a time to live',
    async (scene) => {
      if (!scene.cache.invalidates) return 'it does not invalidate (RFC 9111 §4.4)'
      const uri = await make(scene, '/fresh', { title: 'A' })
      await scene.request(`GET ${uri}`)
      await scene.request(`PUT ${uri}`, {}, { title: 'B' })
      assert.equal((await scene.request(`GET ${uri}`)).json.title, 'B')
      await scene.request(`DELETE ${uri}`)
      assert.equal((await scene.request(`GET ${uri}`)).status, 404)
      return undefined
    },
  ],
  [
    'a renamed item is invalidated where it was, and found where it is',
    async (scene) => {
      if (!scene.cache.invalidates) return 'it does not invalidate (RFC 9111 §4.4)'
      const uri = await make(scene, '/keyed', { slug: 'old', title: 'A' })
      await scene.request(`GET ${uri}`)
      await scene.request(`PATCH ${uri}`, {}, { slug: 'new' })
      const moved = await scene.request(`GET ${uri}`)
      assert.equal(moved.status, 301)
      assert.equal((await scene.request(`GET ${moved.fields.location}`)).status, 200)
      return undefined
    },
  ],
  [
    'errors are not kept: what was missing is found as soon as it is there',
    async (scene) => {
      assert.equal((await scene.request('GET /keyed/late')).status, 404)
      await make(scene, '/keyed', { slug: 'late', title: 'A' })
      assert.equal((await scene.request('GET /keyed/late')).status, 200)
      assert.equal((await scene.request('GET /plain', { authorization: 'Basic x' })).status, 401)
      assert.equal((await scene.request('GET /plain')).status, 200)
      return undefined
    },
  ],
]

function decoded({ fields, octets }: Reply): string {
  switch (fields['content-encoding']) {
    case 'gzip':
      return gunzipSync(octets).toString()
    case 'br':
      return brotliDecompressSync(octets).toString()
    case 'zstd':
      return zstdDecompressSync(octets).toString()
    default:
      return octets.toString()
  }
}

async function check(cache: Cache): Promise<number> {
  await using s = await serve(definition)
  await s.request('POST /users', {}, login)
  await using running = await startCache(cache, s.port)
  let from = s.observations.length
  const seen = () => {
    const statuses = s.observations.slice(from).flatMap((one) => (one.kind === 'request' ? one.status : []))
    from = s.observations.length
    return statuses
  }
  let failures = 0
  for (const [title, holds] of claims) {
    try {
      const skipped = await holds({ cache, s, request: createRequester(running.port), seen })
      console.log(skipped === undefined ? `  holds    ${title}` : `  skipped  ${title}: ${skipped}`)
    } catch (error) {
      failures += 1
      console.log(`  FAILS    ${title}`, error)
    }
  }
  return failures
}

let failures = 0
for (const cache of caches) {
  if (!isInstalled(cache)) {
    console.log(`${cache.name}: SKIPPED, for ${cache.program} is not installed`)
    continue
  }
  console.log(cache.name)
  failures += await check(cache)
}
process.exitCode = failures === 0 ? 0 : 1
