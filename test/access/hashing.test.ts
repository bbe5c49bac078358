/** Password hashing under load: the order, the limits of the queue, and the checks before. */

import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { defaultPasswordCost, passwordChangeHashQueue } from '../../src/access/password.ts'
import { createFairQueue } from '../../src/limits/fair-queue.ts'
import { Refusal } from '../../src/refusal.ts'
import { admin, basic, serve } from '../service.ts'
import { account, as, definition, pass } from './sample.ts'

/** Node's name of an argon2 job. */
const hashing = 'ARGON2REQUEST'
const roomy = { concurrent: 1, perCaller: 100, perAddress: 100, total: 100, works: 'checks' }

/** Occupies the only turn for changes until it is released. */
function blocked() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const occupied = passwordChangeHashQueue.turnFor({ address: '192.0.2.1', caller: 'test' })(() => promise)
  return {
    async [Symbol.asyncDispose]() {
      resolve()
      await occupied
    },
  }
}

async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work
    return 200
  } catch (error) {
    if (error instanceof Refusal) return error.status
    throw error
  }
}

test('many hashes of one caller delay another caller by one turn, not by all of them', async () => {
  const queue = createFairQueue(roomy)
  const order: string[] = []
  const turn = (address: string, caller: string) =>
    queue.turnFor({ address, caller })(async () => void order.push(caller))
  const many = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1'].map((one) => turn(one, 'eve'))
  await Promise.all([...many, turn('192.0.2.1', 'ada'), turn('198.51.100.1', 'bob')])
  assert.deepEqual(order, ['eve', 'eve', 'bob', 'ada', 'eve', 'eve'])
})

test('a caller and an address have few places in the queue, then 429 (RFC 6585 §4); a full queue is 503', async () => {
  const queue = createFairQueue({ concurrent: 1, perCaller: 2, perAddress: 3, total: 4, works: 'checks' })
  const { promise, resolve } = Promise.withResolvers<void>()
  const enter = (address: string, caller: string) =>
    statusOf(queue.turnFor({ address, caller })(() => promise))
  const first = [enter('192.0.2.1', 'a'), enter('192.0.2.1', 'a'), enter('192.0.2.1', 'b')]
  assert.equal(await enter('198.51.100.1', 'a'), 429, 'a third of one caller')
  assert.equal(await enter('192.0.2.1', 'c'), 429, 'a fourth of one address')
  const last = enter('198.51.100.1', 'c')
  assert.equal(await enter('203.0.113.1', 'd'), 503)
  resolve()
  assert.deepEqual(await Promise.all([...first, last]), [200, 200, 200, 200])
  assert.equal(await enter('192.0.2.1', 'a'), 200, 'places are released')
})

test('sign-ins do not wait for passwords that are being set', async () => {
  await using s = await serve(definition, { passwordCost: defaultPasswordCost })
  const ada = await account(s.request, 'ada')
  await using _held = blocked()
  const waiting = s.request(`PATCH /users/${ada.id}`, admin, { password: 'another password' })
  assert.equal((await s.request('GET /tokens', as(ada))).status, 200)
  assert.equal((await s.request('GET /tokens', basic(ada.login, 'wrong'))).status, 401)
  await _held[Symbol.asyncDispose]()
  assert.equal((await waiting).status, 200)
})

test('a password is hashed only when nothing else can be refused', async () => {
  await using s = await serve(definition, { passwordCost: defaultPasswordCost })
  const ada = await account(s.request, 'ada')
  const bob = await account(s.request, 'bob')
  const token = (await s.request('POST /tokens', as(ada), {})).json.token
  await using _held = blocked()
  const proof = { currentPassword: pass }
  for (const [line, who, body, status] of [
    ['POST /users', {}, { email: ada.login, name: 'x', password: pass }, 409],
    ['POST /users', {}, { email: 'c@example.org', password: pass }, 422],
    ['POST /users', {}, { email: 'c@example.org', name: 'x', password: 'short' }, 422],
    [`PATCH /users/${ada.id}`, as(ada), { password: 'short', ...proof }, 422],
    [`PATCH /users/${ada.id}`, as(ada), { password: pass, role: 'admin', ...proof }, 422],
    [`PATCH /users/${ada.id}`, as(ada), { password: pass, email: bob.login, ...proof }, 409],
    [`PATCH /users/${ada.id}`, as(ada), { password: pass }, 422],
    [`PATCH /users/${ada.id}`, admin, { password: pass, email: bob.login }, 409],
    [`PATCH /users/${ada.id}`, as(bob), { password: pass }, 403],
    [`PATCH /users/${ada.id}`, { authorization: `Bearer ${token}` }, { password: pass, ...proof }, 403],
    [`PUT /users/${ada.id}`, { ...admin, 'if-match': '"x"' }, { password: pass }, 412],
  ] as const) {
    const reply = await s.request(line, who, body)
    assert.equal(reply.status, status, `${line} ${JSON.stringify(body)} ${reply.text}`)
  }
})

test('setting a password hashes as often for the present one as for another', async () => {
  await using s = await serve(definition, { passwordCost: defaultPasswordCost })
  const ada = await account(s.request, 'ada')
  const bob = await account(s.request, 'bob')
  const hashes = async (who: Record<string, string>, id: string, body: object) => {
    await s.request('GET /tokens', who)
    let count = 0
    const hook = createHook({
      init(_, type) {
        if (type === hashing) count += 1
      },
    })
    hook.enable()
    const reply = await s.request(`PATCH /users/${id}`, who, body)
    hook.disable()
    assert.equal(reply.status, 200, reply.text)
    return count
  }
  const same = await hashes(admin, bob.id, { password: pass })
  assert.ok(same > 0)
  assert.equal(await hashes(admin, bob.id, { password: 'another password' }), same)
  const own = { currentPassword: pass }
  const unchanged = await hashes(as(ada), ada.id, { password: pass, ...own })
  assert.equal(await hashes(as(ada), ada.id, { password: 'another password', ...own }), unchanged)
})

test('attempts at an account from other addresses use no places of its owner', async () => {
  await using s = await serve(definition, { passwordCost: defaultPasswordCost, trusted: ['127.0.0.1'] })
  const ada = await account(s.request, 'ada')
  const tries = Array.from({ length: 30 }, (_, at) => {
    const from = { forwarded: `for=192.0.2.${at % 3};proto=https` }
    return s.request('GET /tokens', { ...from, ...basic(ada.login, `wrong ${at}`) })
  })
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  assert.deepEqual([...new Set(statuses)], [401])
})
