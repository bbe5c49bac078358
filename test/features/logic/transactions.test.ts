/** The tool `transaction`: several calls are one transaction in every place that has tools. See decision 0053. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  action,
  anyone,
  type Caller,
  choice,
  email,
  integer,
  openService,
  owner,
  password,
  ref,
  resource,
  role,
  route,
  schedule,
  self,
  service,
  signedIn,
  type Tools,
  text,
} from '../../../src/index.ts'
import { freshDatabase } from '../../database.ts'

const users = resource(
  {
    email: email().unique(),
    password: password({ min: 12 }),
    role: choice(['member', 'other', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: self, create: anyone, update: self } },
)
const accounts = resource(
  { name: text().unique(), cents: integer({ min: 0 }), holder: ref('users').optional() },
  { key: 'name', access: { read: owner('holder'), create: anyone, update: owner('holder') } },
)
const moves = resource(
  { from: text(), to: text(), cents: integer(), by: text().default('') },
  { access: { read: anyone, create: signedIn } },
)
const resources = { users, accounts, moves }
type Bank = Tools<typeof resources>

/** Takes from one account and adds to the other, in one transaction wherever it is called. */
const move = (from: string, to: string, cents: number, tools: Bank) =>
  tools.transaction(async ({ accounts, moves, caller }) => {
    const [source, target] = [await accounts.get(from), await accounts.get(to)]
    await accounts.patch(to, { cents: target.cents + cents })
    await moves.create({ from, to, cents, by: caller.kind })
    return accounts.patch(from, { cents: source.cents - cents })
  })

/** Continues as if it had worked, which must not keep what was written before. */
async function moveCarelessly(from: string, to: string, cents: number, tools: Bank): Promise<boolean> {
  await tools.moves.create({ from, to, cents: 0 })
  await move(from, to, cents, tools).catch(() => undefined)
  return true
}

const definition = service(
  {
    title: 'Bank',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources,
  },
  {
    accounts: {
      actions: {
        pay: action({
          by: owner('holder'),
          input: { to: text(), cents: integer() },
          run: ({ name }, { to, cents }, tools) => move(name, to, cents, tools),
        }),
        payCarelessly: action({
          by: owner('holder'),
          input: { to: text(), cents: integer() },
          run: async ({ name }, { to, cents }, tools) => {
            await moveCarelessly(name, to, cents, tools)
          },
        }),
        payLater: action({
          by: owner('holder'),
          background: true,
          input: { to: text(), cents: integer() },
          run: ({ name }, { to, cents }, tools) => move(name, to, cents, tools),
        }),
      },
      schedules: {
        interest: schedule('0 3 * * *', async (tools) => {
          await move('bank', 'ada', 1, tools)
        }),
      },
    },
    moves: {
      before: {
        async create({ from, to }, tools) {
          if (from === 'refused')
            await tools
              .transaction(({ refuse }) => refuse('state-conflict', 'The account is closed.'))
              .catch(() => undefined)
          if (to === 'hooked') await move('bank', 'ada', 5, tools)
        },
      },
      after: {
        async created({ from, to }, tools) {
          if (from === 'ask') await move('bank', to, 7, tools)
        },
      },
    },
    '/': {
      routes: {
        '/pay': route({
          methods: ['POST'],
          by: anyone,
          async run(request, tools) {
            const { cents, careless } = (await request.json()) as { cents: number; careless?: boolean }
            if (careless) await moveCarelessly('bank', 'ada', cents, tools)
            else await move('bank', 'ada', cents, tools)
            return new Response(null, { status: 204 })
          },
        }),
      },
    },
  },
)

async function openBank(clock?: () => Date) {
  const options = { database: await freshDatabase(), rate: 'off', ...(clock && { clock }) } as const
  const opened = await openService(definition, options)
  const { users, accounts } = opened.system
  const pass = 'correct horse battery'
  const ada = await users.create({ email: 'ada@example.org', password: pass })
  await accounts.create({ name: 'bank', cents: 1000 })
  await accounts.create({ name: 'ada', cents: 100, holder: ada.id })
  const headers = { authorization: `Basic ${Buffer.from(`ada@example.org:${pass}`).toString('base64')}` }
  return { opened, ada, headers }
}

type Opened = Awaited<ReturnType<typeof openBank>>['opened']

async function balances({ system }: Opened) {
  const [bank, ada] = [await system.accounts.get('bank'), await system.accounts.get('ada')]
  return { bank: bank.cents, ada: ada.cents, moves: await system.moves.count() }
}

async function callerOf(opened: Opened, headers: Readonly<Record<string, string>>): Promise<Caller> {
  const me = await opened.authenticate(new Request('http://localhost/', { headers }))
  if (me instanceof Response) throw new Error(await me.text())
  return me
}

const send = (opened: Opened, path: string, headers: Readonly<Record<string, string>>, content: object) =>
  opened.handle(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(content),
    }),
  )

const unchanged = { bank: 1000, ada: 100, moves: 0 }

describe('a transaction of a program', () => {
  test('commits all of its writes, or none where the work rejects', async () => {
    const { opened } = await openBank()
    await using _ = opened
    assert.equal((await move('bank', 'ada', 10, opened.system)).cents, 990)
    const moved = { bank: 990, ada: 110, moves: 1 }
    assert.deepEqual(await balances(opened), moved)
    // Too little money: a limit of the field refuses the last write.
    await assert.rejects(move('bank', 'ada', 5000, opened.system), { type: 'invalid-content', status: 422 })
    const failed = new Error('of the program')
    const work = async ({ moves }: Bank) => {
      await moves.create({ from: 'a', to: 'b', cents: 1 })
      throw failed
    }
    await assert.rejects(opened.system.transaction(work), (error) => error === failed)
    const refused = opened.system.transaction(({ refuse }) => refuse('state-conflict', 'No.'))
    await assert.rejects(refused, { type: 'state-conflict', status: 409, message: 'No.' })
    assert.deepEqual(await balances(opened), moved)
  })

  test('sees its own writes, and others see them after it', async () => {
    const { opened } = await openBank()
    await using _ = opened
    await opened.system.transaction(async ({ moves }) => {
      await moves.create({ from: 'a', to: 'b', cents: 1 })
      assert.equal(await moves.count(), 1)
      assert.equal(await opened.system.moves.count(), 0)
    })
    assert.equal(await opened.system.moves.count(), 1)
  })

  test('runs again after a conflict: no update is lost', async () => {
    const { opened } = await openBank()
    await using _ = opened
    let runs = 0
    const add = () =>
      opened.system.transaction(async ({ accounts }) => {
        runs += 1
        const { cents } = await accounts.get('bank')
        await accounts.patch('bank', { cents: cents + 1 })
      })
    await Promise.all(Array.from({ length: 8 }, add))
    assert.equal((await opened.system.accounts.get('bank')).cents, 1008)
    assert.ok(runs > 8, `${runs}`)
    let attempts = 0
    await opened.system.transaction(async ({ accounts, moves }) => {
      attempts += 1
      const { cents } = await accounts.get('bank')
      if (attempts === 1) await opened.system.accounts.patch('bank', { cents: 500 })
      await moves.create({ from: 'bank', to: 'ada', cents })
    })
    assert.equal(attempts, 2)
    const [{ cents } = { cents: 0 }] = await opened.system.moves.list()
    assert.equal(cents, 500)
  })

  test('a transaction within it is a part of it, which it cannot outlive', async () => {
    const { opened } = await openBank()
    await using _ = opened
    const careless = opened.system.transaction((tools) => moveCarelessly('bank', 'ada', 5000, tools))
    await assert.rejects(careless, { type: 'invalid-content' })
    assert.deepEqual(await balances(opened), unchanged)
  })

  test('all calls must be awaited, and end with it', async () => {
    const { opened } = await openBank()
    await using _ = opened
    const forgotten = opened.system.transaction(({ moves }) => {
      void moves.create({ from: 'a', to: 'b', cents: 1 })
    })
    await assert.rejects(forgotten, /has ended before 1 of its calls/)
    const kept = await opened.system.transaction((tools) => tools)
    await assert.rejects(kept.moves.create({ from: 'a', to: 'b', cents: 1 }), /has ended/)
    assert.deepEqual(await balances(opened), unchanged)
  })

  test('sets passwords', async () => {
    const { opened, ada, headers } = await openBank()
    await using _ = opened
    await opened.system.transaction(({ users }) => users.patch(ada.id, { password: 'another long password' }))
    const me = await opened.authenticate(new Request('http://localhost/', { headers }))
    assert.equal(me instanceof Response && me.status, 401)
  })
})

describe('a transaction for a caller', () => {
  test('has the rights of the caller, also within', async () => {
    const { opened, headers } = await openBank()
    await using _ = opened
    const { transaction } = opened.as(await callerOf(opened, headers))
    await assert.rejects(
      transaction((tools) => move('bank', 'ada', 10, tools)),
      { type: 'not-found', status: 404 },
    )
    await transaction(async ({ accounts, moves, caller, as }) => {
      assert.equal(caller.kind, 'account')
      assert.equal((await accounts.get('ada')).cents, 100)
      await moves.create({ from: 'ada', to: 'x', cents: 1 })
      await assert.rejects(as(caller).accounts.get('bank'), { type: 'not-found' })
      assert.throws(() => as({ kind: 'system', roles: [] }), /takes the tool 'caller'/)
    })
    assert.deepEqual(await balances(opened), { ...unchanged, moves: 1 })
  })

  test('rejects with 401 where the credentials end while the work runs', async () => {
    const { opened, ada, headers } = await openBank()
    await using _ = opened
    const { transaction } = opened.as(await callerOf(opened, headers))
    const work = async ({ moves }: Bank) => {
      await moves.create({ from: 'ada', to: 'x', cents: 1 })
      await opened.system.users.patch(ada.id, { password: 'another long password' })
    }
    await assert.rejects(transaction(work), { type: 'unauthenticated', status: 401 })
    assert.deepEqual(await balances(opened), unchanged)
  })

  test('runs again where the roles of the caller change while the work runs', async () => {
    const { opened, ada, headers } = await openBank()
    await using _ = opened
    let runs = 0
    await opened.as(await callerOf(opened, headers)).transaction(async ({ moves }) => {
      runs += 1
      await moves.create({ from: 'ada', to: 'x', cents: runs })
      if (runs === 1) await opened.system.users.patch(ada.id, { role: 'other' })
    })
    assert.equal(runs, 2)
    const made = await opened.system.moves.list()
    assert.deepEqual(
      made.map(({ cents }) => cents),
      [2],
    )
  })
})

describe('a transaction in code that is one already', () => {
  test('an action and a route join it, and fail with it, also where they catch what it is rejected with', async () => {
    const { opened, headers } = await openBank()
    await using _ = opened
    const paid = await send(opened, '/accounts/ada/pay', headers, { to: 'bank', cents: 10 })
    assert.equal(paid.status, 200, await paid.text())
    assert.equal((await send(opened, '/pay', {}, { cents: 10 })).status, 204)
    assert.deepEqual(await balances(opened), { bank: 1000, ada: 100, moves: 2 })
    for (const action of ['pay', 'payCarelessly']) {
      const reply = await send(opened, `/accounts/ada/${action}`, headers, { to: 'bank', cents: 5000 })
      assert.equal(reply.status, 422, action)
    }
    assert.equal((await send(opened, '/pay', {}, { cents: 5000, careless: true })).status, 422)
    assert.deepEqual(await balances(opened), { bank: 1000, ada: 100, moves: 2 })
  })

  test('so does a hook before the commit', async () => {
    const { opened, headers } = await openBank()
    await using _ = opened
    assert.equal((await send(opened, '/moves', headers, { from: 'x', to: 'hooked', cents: 1 })).status, 201)
    assert.deepEqual(await balances(opened), { bank: 995, ada: 105, moves: 2 })
    const refused = await send(opened, '/moves', headers, { from: 'refused', to: 'x', cents: 1 })
    assert.equal(refused.status, 409)
    assert.equal(((await refused.json()) as { detail: string }).detail, 'The account is closed.')
    assert.equal(await opened.system.moves.count(), 2)
  })
})

describe('a transaction in code after the commit', () => {
  test('after hooks and jobs commit all of their writes, with what caused them as the caller', async () => {
    const { opened, headers } = await openBank()
    await using _ = opened
    await send(opened, '/moves', headers, { from: 'ask', to: 'ada', cents: 1 })
    await opened.settled()
    const later = await send(opened, '/accounts/ada/payLater', headers, { to: 'bank', cents: 20 })
    assert.equal(later.status, 202)
    await opened.settled()
    assert.deepEqual(await balances(opened), { bank: 1013, ada: 87, moves: 3 })
    const by = (await opened.system.moves.list({ sort: 'createdAt' })).map((one) => one.by)
    assert.deepEqual(by, ['', 'account', 'account'])
    const failing = await send(opened, '/accounts/ada/payLater', headers, { to: 'bank', cents: 5000 })
    await opened.settled()
    const job = await opened.handle(
      new Request(`http://localhost${failing.headers.get('location')}`, { headers }),
    )
    const { status, problem } = (await job.json()) as Readonly<Record<string, unknown>>
    assert.equal(status, 'failed', JSON.stringify(problem))
    assert.deepEqual(await balances(opened), { bank: 1013, ada: 87, moves: 3 })
  })

  test('schedules too, whose caller is the system', async () => {
    const { opened } = await openBank(() => new Date('2026-01-01T00:00:00Z'))
    await using _ = opened
    await opened.runSchedules(new Date('2026-01-01T04:00:00Z'))
    assert.deepEqual(await balances(opened), { bank: 999, ada: 101, moves: 1 })
    const [made] = await opened.system.moves.list()
    assert.equal(made?.by, 'system')
  })
})

test('the tools of programs have the time when they are read, and a signal that the stop of the service aborts', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const { opened } = await openBank(() => new Date(now))
  const { system } = opened
  assert.equal(system.now, '2026-01-01T00:00:00.000Z')
  now += 1000
  assert.equal(system.now, '2026-01-01T00:00:01.000Z')
  assert.deepEqual(
    [system.caller.kind, system.requestId, system.signal.aborted],
    ['system', undefined, false],
  )
  assert.throws(() => system.refuse('forbidden', 'No.'), { type: 'forbidden', status: 403 })
  const waiting = system.transaction(async ({ signal }) => {
    while (!signal.aborted) await pause(5)
    signal.throwIfAborted()
  })
  waiting.catch(() => undefined)
  await opened.close()
  assert.equal(system.signal.aborted, true)
  await assert.rejects(waiting)
})
