/** `before`: code that reads, changes and writes in the transaction of a request (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { anyone, integer, ref, resource, service, text } from '../../../src/index.ts'
import { cases } from '../../cases.ts'
import { freshDatabase, onPostgres } from '../../database.ts'
import { clientOf, startWorkers } from '../../reliability/worker-service.ts'
import { serve, type TestService } from '../../service.ts'
import numbered from './fixtures/numbered-tasks.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
async function projectOf(s: TestService): Promise<string> {
  return (await s.request('POST /projects', {}, { name: 'p' })).json.id
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

async function numbersOf(s: TestService): Promise<readonly number[]> {
  const { json } = await s.request('GET /tasks?limit=1000&sort=number')
  return json.map(({ number }: { number: number }) => number)
}

describe('before.create', () => {
  it('concurrent requests number tasks without a gap', async () => {
    await using s = await serve(numbered)
    const project = await projectOf(s)
    const count = cases(100)
    const replies = await Promise.all(
      upTo(count).map(() => s.request('POST /tasks', {}, { title: 't', project })),
    )
    assert.deepEqual(
      replies.map(({ status }) => status),
      Array(count).fill(201),
      replies.map(({ text }) => text).join('\n'),
    )
    assert.deepEqual(await numbersOf(s), upTo(count))
  })

  const onSeveralNodes = onPostgres ? it : () => undefined
  onSeveralNodes('requests to two nodes number tasks without a gap', async () => {
    const database = await freshDatabase()
    await using one = await serve(numbered, { database })
    await using two = await serve(numbered, { database })
    const project = await projectOf(one)
    const count = cases(100)
    const replies = await Promise.all(
      upTo(count).map((at) => (at % 2 ? one : two).request('POST /tasks', {}, { title: 't', project })),
    )
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201])
    assert.deepEqual(await numbersOf(one), upTo(count))
  })

  it('requests to two workers number tasks without a gap', async (t) => {
    const database = onPostgres ? await freshDatabase() : undefined
    const definition = 'test/features/logic/fixtures/numbered-tasks.ts'
    const { port } = await startWorkers(t, { definition, ...(database && { database }) })
    const clients = await Promise.all(upTo(8).map(() => clientOf(t as TestContext, port)))
    const [first] = clients
    assert.ok(first)
    const { json: project } = await first('POST /projects', {}, { name: 'p' })
    const count = cases(100)
    const replies = await Promise.all(
      upTo(count).map((at) => clients[at % 8]?.('POST /tasks', {}, { title: 't', project: project.id })),
    )
    assert.deepEqual([...new Set(replies.map((reply) => reply?.status))], [201])
    const { json } = await first('GET /tasks?limit=1000&sort=number')
    assert.deepEqual(
      json.map(({ number }: { number: number }) => number),
      upTo(count),
    )
  })

  it('items of one POST see the items before them', async () => {
    await using s = await serve(numbered)
    const project = await projectOf(s)
    const reply = await s.request(
      'POST /tasks',
      {},
      upTo(cases(100)).map((at) => ({ title: `t${at}`, project })),
    )
    assert.equal(reply.status, 201, reply.text)
    assert.deepEqual(await numbersOf(s), upTo(cases(100)))
  })
})

describe('before.update', () => {
  it('of concurrent withdrawals of 60 from a balance of 100 exactly one succeeds', async () => {
    const accounts = resource({ balance: integer() }, { access })
    const withdrawals = resource({ account: ref('accounts'), amount: integer() }, { access })
    const definition = service(
      { title: 'Bank', resources: { accounts, withdrawals } },
      {
        withdrawals: {
          before: {
            async create({ account, amount }, { accounts, refuse }) {
              const { balance } = await accounts.get(account)
              if (balance < amount) refuse('state-conflict', 'The balance is too low.')
              await accounts.patch(account, { balance: balance - amount })
            },
          },
        },
      },
    )
    await using s = await serve(definition)
    const { json } = await s.request('POST /accounts', {}, { balance: 100 })
    const replies = await Promise.all(
      upTo(cases(100)).map(() => s.request('POST /withdrawals', {}, { account: json.id, amount: 60 })),
    )
    assert.equal(replies.filter(({ status }) => status === 201).length, 1)
    const refused = replies.filter(({ status }) => status === 409)
    assert.equal(refused.length, cases(100) - 1)
    assert.equal(refused[0]?.json.detail, 'The balance is too low.')
    assert.equal((await s.request(`GET /accounts/${json.id}`)).json.balance, 40)
    assert.equal((await s.request('GET /withdrawals')).json.length, 1)
  })
})

describe('before.delete', () => {
  it('runs for each item that a deletion deletes, and before.update for those whose reference it clears', async () => {
    const calls: string[] = []
    const teams = resource({ name: text() }, { access })
    const people = resource({ name: text(), team: ref('teams', { onDelete: 'cascade' }) }, { access })
    const jobs = resource(
      { name: text(), person: ref('people', { onDelete: 'clear' }).optional() },
      { access },
    )
    const definition = service(
      { title: 'Staff', resources: { teams, people, jobs } },
      {
        people: {
          before: {
            async delete(person, { jobs, refuse }) {
              calls.push(`delete ${person.name}`)
              if ((await jobs.count({ person: person.id, name: 'vital' })) > 0) refuse('referenced', 'Vital.')
            },
          },
        },
        jobs: {
          before: {
            update(job, { set, previous }) {
              calls.push(`update ${job.name} ${job.person === undefined} ${previous?.person !== undefined}`)
              set({ name: 'open' })
            },
          },
        },
      },
    )
    await using s = await serve(definition)
    const post = async (line: string, body: unknown) => String((await s.request(line, {}, body)).json.id)
    const team = await post('POST /teams', { name: 't' })
    const [ada, bea] = [
      await post('POST /people', { name: 'Ada', team }),
      await post('POST /people', { name: 'Bea', team }),
    ]
    const job = await post('POST /jobs', { name: 'vital', person: ada })
    await post('POST /jobs', { name: 'other', person: bea })
    const refused = await s.request(`DELETE /teams/${team}`)
    assert.deepEqual([refused.status, refused.json.detail], [409, 'Vital.'])
    assert.equal((await s.request('GET /people')).json.length, 2)
    assert.equal((await s.request(`PATCH /jobs/${job}`, {}, { name: 'spare' })).json.name, 'open')
    calls.length = 0
    const deleted = await s.request(`DELETE /teams/${team}`)
    assert.equal(deleted.status, 204, deleted.text)
    assert.deepEqual(calls.toSorted(), [
      'delete Ada',
      'delete Bea',
      'update open true true',
      'update other true true',
    ])
    assert.deepEqual((await s.request('GET /people')).json, [])
    const { json } = await s.request('GET /jobs')
    assert.deepEqual(
      json.map(({ name, person }: { name: string; person?: string }) => [name, person]),
      [
        ['open', undefined],
        ['open', undefined],
      ],
    )
  })
})

describe('a hook that fails writes nothing and is logged once with its place', () => {
  const notes = resource({ title: text({ max: 9 }), count: integer().optional() }, { access, bulk: true })
  const options = { title: 'Notes', resources: { notes } }
  type Hook = Parameters<typeof service<typeof options.resources>>[1]
  const failing: readonly (readonly [title: string, logic: Hook, status: number, log: RegExp | undefined])[] =
    [
      [
        'it throws',
        {
          notes: {
            before: {
              create() {
                throw new Error('planted')
              },
            },
          },
        },
        500,
        /notes\.before\.create failed: planted/,
      ],
      [
        'it never resolves',
        { notes: { before: { create: () => new Promise<void>(() => undefined) } } },
        503,
        /notes\.before\.create took longer than 1000 ms/,
      ],
      [
        'it writes in a cycle',
        {
          notes: {
            before: {
              async create(_, { notes }) {
                await notes.create({ title: 'again' })
              },
            },
          },
        },
        500,
        /nested more than 5 deep: notes\.before\.create → notes\.before\.create/,
      ],
      [
        'it sets a wrong value',
        {
          notes: {
            before: {
              create(_, { set }) {
                set({ title: 'much too long' })
              },
            },
          },
        },
        500,
        /notes\.before\.create sets a value that is not valid\. title: /,
      ],
      [
        'it refuses',
        {
          notes: {
            before: {
              create(_, { refuse }) {
                refuse('forbidden', 'Not now.')
              },
            },
          },
        },
        403,
        undefined,
      ],
    ]
  it('refuses with 405 and 429: the response has Allow and Retry-After', async () => {
    const types: Readonly<Record<string, string>> = { a: 'method-not-allowed', b: 'too-many-requests' }
    const create = ({ title }: { title: string }, { refuse }: { refuse(type: unknown): never }) =>
      title in types && refuse(types[title])
    await using s = await serve(service(options, { notes: { before: { create } } } as object))
    const wrong = await s.request('POST /notes', {}, { title: 'a' })
    const { allow } = (await s.request('OPTIONS /notes')).fields
    assert.deepEqual([wrong.status, wrong.fields.allow], [405, allow])
    const second = await s.request('POST /notes', {}, [{ title: 'ok' }, { title: 'b' }])
    assert.deepEqual([second.status, second.json.index], [429, 1])
    const many = await s.request('POST /notes', {}, { title: 'b' })
    assert.deepEqual([many.status, many.fields['retry-after']], [429, '1'])
  })

  for (const [title, logic, status, log] of failing) {
    it(title, async () => {
      await using s = await serve(service(options, logic as object))
      const reply = await s.request('POST /notes', {}, { title: 'x' })
      assert.equal(reply.status, status, reply.text)
      const logged = s.observations.filter(({ kind }) => kind === 'logic-failed')
      assert.equal(logged.length, log ? 1 : 0)
      const [entry] = logged
      if (log && entry?.kind === 'logic-failed') assert.match((entry.cause as Error).message, log)
      assert.deepEqual((await s.request('GET /notes')).json, [])
    })
  }
})
