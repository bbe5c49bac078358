/** Background actions: their jobs, from the 202 to the end (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { action, anyone, openService, resource, service, text } from '../../src/index.ts'
import { freshDatabase, lastingDatabase } from '../database.ts'
import {
  admin,
  adminPassword,
  basic,
  type Reply,
  serve,
  type TestOptions,
  type TestService,
} from '../service.ts'
import imports, { behaviour } from './fixtures/imports.ts'

const day = 86_400_000
const [ada, bob] = [basic('ada@example.org', adminPassword), basic('bob@example.org', adminPassword)]
type Fields = Record<string, string>

async function open(options: TestOptions = {}): Promise<TestService> {
  const s = await serve(imports, options)
  for (const email of ['ada@example.org', 'bob@example.org']) {
    const made = await s.request('POST /users', admin, { email, password: adminPassword })
    assert.ok(made.status === 201 || made.status === 409, made.text)
  }
  return s
}

/** The job when it has ended, or when the condition holds. */
async function jobWhen(
  s: TestService,
  uri: string,
  holds = ({ json }: Reply) => json.endedAt !== undefined,
  fields: Fields = admin,
): Promise<Reply> {
  for (;;) {
    const reply = await s.request(`GET ${uri}`, fields)
    assert.equal(reply.status, 200, reply.text)
    if (holds(reply)) return reply
    await pause(10)
  }
}

async function start(s: TestService, body: object, fields: Fields = ada): Promise<Reply> {
  const reply = await s.request('POST /notes/import', fields, body)
  assert.equal(reply.status, 202, reply.text)
  return reply
}

const uriOf = ({ fields }: Reply) => String(fields.location)

/** Starts `test` with this code; returns the URI of its job. */
async function startWith(s: TestService, run: typeof behaviour.run, fields: Fields = ada): Promise<string> {
  behaviour.run = run
  const reply = await s.request('POST /notes/test', fields)
  assert.equal(reply.status, 202, reply.text)
  return uriOf(reply)
}

/** Resolves when the signal is aborted. */
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

describe('a background action', () => {
  it('is 202 with the job, its Location and Retry-After; the job ends with a link to its result', async () => {
    await using s = await open()
    const reply = await start(s, { titles: ['One', 'Two'] })
    assert.match(uriOf(reply), /^\/jobs\/[0-9a-f-]{36}$/)
    assert.equal(reply.fields['retry-after'], '1')
    assert.equal(reply.fields['content-location'], uriOf(reply))
    assert.equal(reply.json.status, 'queued')
    assert.deepEqual([reply.json.action, reply.json.progress], ['notes.import', 0])
    const { json } = await jobWhen(s, uriOf(reply))
    assert.deepEqual([json.status, json.progress, json.problem], ['done', 1, undefined])
    assert.ok(json.startedAt <= json.endedAt)
    const result = await s.request(`GET ${json.result}`, ada)
    assert.equal(result.json.title, 'Two')
  })

  it('on an item runs with the item, which is the result', async () => {
    await using s = await open()
    const author = (await s.request('GET /users?email=ada@example.org', admin)).json[0].id
    const made = await s.request('POST /notes', admin, { title: 'Draft', author })
    const note = String(made.fields.location)
    const unchanged = await s.request(
      `POST ${note}/rename`,
      { ...ada, 'if-match': '"x"' },
      { title: 'Final' },
    )
    assert.equal(unchanged.status, 412)
    const tag = String((await s.request(`GET ${note}`, ada)).fields.etag)
    const reply = await s.request(`POST ${note}/rename`, { ...ada, 'if-match': tag }, { title: 'Final' })
    assert.equal(reply.status, 202, reply.text)
    const { json } = await jobWhen(s, uriOf(reply))
    assert.deepEqual([json.status, json.result], ['done', note])
    assert.equal((await s.request(`GET ${note}`, ada)).json.title, 'Final')
    const [version] = (await s.request(`GET ${note}/history`, ada)).json
    assert.deepEqual([version.kind, version.by], ['rename', author])
  })

  it('refuses what any action refuses, and queues nothing', async () => {
    await using s = await open()
    const inBatch = { requests: [{ method: 'POST', path: '/notes/import', body: { titles: ['One'] } }] }
    const note = String((await s.request('POST /notes', admin, { title: 'Draft' })).fields.location)
    for (const [line, fields, body, status] of [
      ['POST /notes/import', ada, { titles: 'One' }, 422],
      ['POST /notes/import', ada, { titles: ['One'], more: 1 }, 422],
      ['POST /notes/import', {}, { titles: ['One'] }, 401],
      [`POST ${note}/rename`, bob, { title: 'X' }, 404],
      [`POST ${note}/rename`, admin, { title: 'X' }, 403],
      ['POST /notes/import?dry-run=true', ada, { titles: ['One'] }, 400],
      ['POST /batch', ada, inBatch, 422],
      ['GET /notes/import', ada, undefined, 405],
      ['POST /jobs', ada, { action: 'x' }, 405],
    ] as const) {
      assert.equal((await s.request(line, fields, body)).status, status, line)
    }
    assert.deepEqual((await s.request('GET /jobs', admin)).json, [])
  })

  it('with an Idempotency-Key is one job', async () => {
    await using s = await open()
    const fields = { ...ada, 'idempotency-key': '"k1"' }
    const [first, second] = [
      await start(s, { titles: ['One'] }, fields),
      await start(s, { titles: ['One'] }, fields),
    ]
    assert.equal(uriOf(first), uriOf(second))
    assert.equal(first.text, second.text)
    await jobWhen(s, uriOf(first))
    assert.equal((await s.request('GET /notes', ada)).json.length, 1)
  })

  it('waits for its end where the client prefers to (RFC 7240 §4.3): 200 with the job that has ended', async () => {
    await using s = await open()
    const prefer = { ...ada, prefer: 'respond-async, wait=20' }
    const reply = await s.request('POST /notes/import', prefer, { titles: ['One'] })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json.status, 'done')
    assert.equal(reply.fields['preference-applied'], 'respond-async, wait=20')
    assert.deepEqual([reply.fields['retry-after'], reply.fields.location], [undefined, undefined])
    assert.equal((await s.request(`GET ${reply.fields['content-location']}`, ada)).text, reply.text)
    const long = await s.request('POST /notes/import', { ...ada, prefer: 'wait=100' }, { titles: ['One'] })
    assert.deepEqual([long.status, long.fields['preference-applied']], [200, 'wait=25'])
    const slow = await s.request('POST /notes/import', { ...ada, prefer: 'wait=0' }, { titles: ['Two'] })
    assert.deepEqual([slow.status, slow.fields['preference-applied']], [202, 'wait=0'])
    const other = await s.request('POST /notes', { ...ada, prefer: 'wait=5' }, { title: 'Three' })
    assert.equal(other.fields['preference-applied'], undefined)
    for (const wrong of ['wait=soon', 'respond-async=yes']) {
      const strict = { ...ada, prefer: `${wrong}, handling=strict` }
      assert.equal((await s.request('POST /notes/import', strict, { titles: [] })).status, 400, wrong)
    }
  })

  it('responds 202 with the job as it then is when the preferred time is over', async () => {
    await using s = await open()
    behaviour.run = ({ signal }) => aborted(signal)
    const reply = await s.request('POST /notes/test', { ...ada, prefer: 'wait=1' })
    assert.equal(reply.status, 202, reply.text)
    assert.equal(reply.fields['retry-after'], '1')
    assert.equal(reply.json.status, 'running')
    assert.equal((await s.request(`GET ${uriOf(reply)}`, ada)).fields.etag, reply.fields.etag)
  })

  it('shows the message that its code reported last, when it has ended', async () => {
    await using s = await open()
    const prefer = { ...ada, prefer: 'wait=20' }
    const { json } = await s.request('POST /notes/import', prefer, { titles: ['One', 'Two', 'Three'] })
    assert.deepEqual([json.status, json.progress, json.message], ['done', 1, 'Row 3'])
  })
})

describe('a job', () => {
  it('is for its creator and administrators: for others it does not exist', async () => {
    await using s = await open()
    const uri = uriOf(await start(s, { titles: ['One'] }))
    await jobWhen(s, uri, undefined, ada)
    const absent = '/jobs/01890000-0000-7000-8000-000000000000'
    for (const fields of [bob, {}]) {
      const [hidden, missing] = [
        await s.request(`GET ${uri}`, fields),
        await s.request(`GET ${absent}`, fields),
      ]
      assert.deepEqual([hidden.status, missing.status], [404, 404])
      assert.equal(hidden.json.detail, missing.json.detail)
      assert.equal((await s.request(`POST ${uri}/cancel`, fields)).status, 404)
      assert.equal((await s.request(`DELETE ${uri}`, fields)).status, 404)
    }
    assert.deepEqual((await s.request('GET /jobs', bob)).json, [])
    assert.equal((await s.request('GET /jobs')).status, 401)
    for (const fields of [ada, admin]) assert.equal((await s.request('GET /jobs', fields)).json.length, 1)
  })

  it('shows the progress that its code reports', async () => {
    await using s = await open()
    let next = () => {}
    const uri = await startWith(s, async ({ report }) => {
      report(0.4)
      await new Promise<void>((resolve) => {
        next = resolve
      })
      report(0.8)
    })
    const { json } = await jobWhen(s, uri, ({ json }) => json.progress === 0.4)
    assert.equal(json.status, 'running')
    next()
    assert.equal((await jobWhen(s, uri)).json.progress, 1)
    const messages = await start(s, { titles: ['One', 'Two'], pause: 20 })
    await jobWhen(s, uriOf(messages), ({ json }) => json.message !== undefined)
    const { message } = (await jobWhen(s, uriOf(messages))).json
    assert.match(message, /^Row [12]$/)
  })

  it('fails where the code refuses, with that problem', async () => {
    await using s = await open()
    const author = (await s.request('GET /users?email=ada@example.org', admin)).json[0].id
    const note = String((await s.request('POST /notes', admin, { title: 'Draft', author })).fields.location)
    const problems: [string, object, object, boolean][] = [
      ['rename', { title: 'refused' }, { type: '/problems/state-conflict', status: 409 }, false],
      ['shout', {}, { type: '/problems/invalid-content', status: 422 }, false],
      ['rename', { title: 'as caller' }, { type: '/problems/internal-error', status: 500 }, true],
      ['rename', { title: 'thrown' }, { type: '/problems/internal-error', status: 500 }, true],
    ]
    for (const [name, body, expected, isLogged] of problems) {
      const before = s.observations.filter(({ kind }) => kind === 'logic-failed').length
      const { json, text } = await jobWhen(s, uriOf(await s.request(`POST ${note}/${name}`, ada, body)))
      assert.equal(json.status, 'failed')
      assert.deepEqual({ ...expected, ...json.problem }, json.problem, text)
      assert.doesNotMatch(text, /printer/)
      const logged = s.observations.filter(({ kind }) => kind === 'logic-failed').length - before
      assert.equal(logged, isLogged ? 1 : 0, name)
    }
    assert.equal((await s.request(`GET ${note}`, ada)).json.title, 'Draft')
  })

  it('fails where its item was deleted before it began', async () => {
    await using s = await open()
    const author = (await s.request('GET /users?email=ada@example.org', admin)).json[0].id
    const note = String((await s.request('POST /notes', admin, { title: 'Draft', author })).fields.location)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    behaviour.run = () => released
    const rename = (title: string) => s.request(`POST ${note}/rename`, ada, { title })
    // Four jobs of an action run at a time in a process.
    for (let count = 0; count < 4; count += 1) await rename('waiting')
    const uri = uriOf(await rename('Final'))
    assert.equal((await s.request(`DELETE ${note}`, ada)).status, 204)
    release()
    const { json } = await jobWhen(s, uri)
    assert.deepEqual([json.status, json.problem.type], ['failed', '/problems/not-found'])
  })

  it('fails with 500 where its code reports something that is no progress', async () => {
    await using s = await open()
    for (const wrong of [-0.1, 1.1, Number.NaN, '0.5', undefined]) {
      const { json } = await jobWhen(s, await startWith(s, ({ report }) => report(wrong)))
      assert.deepEqual([json.status, json.problem.status], ['failed', 500], String(wrong))
    }
  })
})

describe('cancelling', () => {
  it('stops a running job: 200, its signal is aborted, and its writes are refused', async () => {
    await using s = await open()
    const uri = uriOf(await start(s, { titles: Array.from({ length: 1000 }, (_, at) => `n${at}`), pause: 5 }))
    await jobWhen(s, uri, ({ json }) => json.progress > 0)
    const reply = await s.request(`POST ${uri}/cancel`, ada)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual([reply.json.status, reply.fields['content-location']], ['cancelled', uri])
    const count = async () =>
      (await s.request('HEAD /notes', { ...ada, prefer: 'count=exact' })).fields['total-count']
    const after = await count()
    await pause(100)
    assert.equal(await count(), after)
    assert.equal((await s.request(`GET ${uri}`, ada)).json.status, 'cancelled')
    await s.service.settled()
  })

  it('aborts the signal of code that writes nothing', async () => {
    await using s = await open()
    let ended = false
    const uri = await startWith(s, async ({ signal }) => {
      await aborted(signal)
      ended = true
    })
    await jobWhen(s, uri, ({ json }) => json.status === 'running')
    await s.request(`POST ${uri}/cancel`, ada)
    while (!ended) await pause(20)
    assert.equal((await s.request(`GET ${uri}`, ada)).json.status, 'cancelled')
  })

  it('is 409 for a job that has ended; DELETE removes it, and is 409 before', async () => {
    await using s = await open()
    const uri = await startWith(s, ({ signal }) => aborted(signal))
    const refused = await s.request(`DELETE ${uri}`, ada)
    assert.deepEqual([refused.status, refused.json.type], [409, '/problems/state-conflict'])
    assert.equal((await s.request(`POST ${uri}/cancel`, ada)).status, 200)
    const again = await s.request(`POST ${uri}/cancel`, ada)
    assert.deepEqual([again.status, again.json.type], [409, '/problems/state-conflict'])
    assert.equal((await s.request(`DELETE ${uri}`, ada)).status, 204)
    assert.equal((await s.request(`GET ${uri}`, ada)).status, 404)
  })

  it('is a POST only, with the precondition of the job', async () => {
    await using s = await open()
    const uri = await startWith(s, ({ signal }) => aborted(signal))
    const { status, fields } = await s.request(`GET ${uri}/cancel`, ada)
    assert.deepEqual([status, fields.allow], [405, 'POST, OPTIONS'])
    assert.equal((await s.request(`POST ${uri}/cancel`, { ...ada, 'if-match': '"x"' })).status, 412)
    assert.equal((await s.request(`POST ${uri}/cancel`, admin)).status, 200)
  })
})

describe('jobs', () => {
  it('survive a restart, and begin again', async (t) => {
    const database = await lastingDatabase(t)
    let uri: string
    {
      await using s = await open({ database })
      uri = await startWith(s, ({ signal }) => aborted(signal))
      await jobWhen(s, uri, ({ json }) => json.status === 'running')
    }
    behaviour.run = () => undefined
    await using s = await serve(imports, { database })
    assert.equal((await jobWhen(s, uri)).json.status, 'done')
  })

  it('are kept for seven days after their end', async () => {
    await using s = await open()
    const uri = await startWith(s, () => undefined)
    await jobWhen(s, uri)
    s.advance(6 * day)
    const later = await startWith(s, () => undefined)
    await jobWhen(s, later)
    assert.equal((await s.request(`GET ${uri}`, ada)).status, 200)
    s.advance(2 * day)
    while ((await s.request(`GET ${uri}`, ada)).status === 200) await pause(20)
    assert.equal((await s.request(`GET ${later}`, ada)).status, 200)
  })

  it('of callers without an account are for all who know the URI, and in no list', async () => {
    const notes = resource({ title: text() }, { access: { read: anyone } })
    const background = action({
      on: 'collection',
      background: true,
      by: anyone,
      run: () => undefined,
    })
    await using s = await serve(
      service({ title: 'Notes', resources: { notes } }, { notes: { actions: { tidy: background } } }),
    )
    const uri = uriOf(await s.request('POST /notes/tidy'))
    const { json } = await jobWhen(s, uri, undefined, {})
    assert.deepEqual([json.status, json.ownerless, json.creator], ['done', undefined, undefined])
    for (const line of ['GET /jobs', 'GET /jobs?aggregate=count', 'HEAD /jobs']) {
      assert.equal((await s.request(line)).status, 401, line)
    }
    assert.equal((await s.request('GET /jobs', { accept: 'text/event-stream' })).status, 401)
    assert.deepEqual((await s.request('GET /events')).json, [])
    assert.equal((await s.request('GET /')).json.links.jobs, undefined)
    assert.equal((await s.request('GET /docs', { accept: 'application/json' })).text.includes(uri), false)
    assert.equal((await s.request(`DELETE ${uri}`)).status, 204)
  })

  it('need the scope jobs of a token to be followed; the action needs its own', async () => {
    await using s = await open()
    const token = async (...scopes: string[]) => {
      const made = await s.request('POST /tokens', ada, { scopes })
      assert.equal(made.status, 201, made.text)
      return { authorization: `Bearer ${made.json.token}` }
    }
    const reply = await start(s, { titles: ['One'] }, await token('notes:create'))
    assert.equal(reply.text, '')
    assert.equal((await s.request(`GET ${uriOf(reply)}`, await token('notes:create'))).status, 403)
    assert.equal((await s.request(`GET ${uriOf(reply)}`, await token('jobs:read'))).status, 200)
    const only = await token('jobs:write')
    assert.equal((await s.request('POST /notes/import', only, { titles: [] })).status, 403)
  })

  it('of openService().system are queued too; settled() waits for them', async () => {
    await using s = await openService(imports, { database: await freshDatabase() })
    const job = await s.system.notes.import({ titles: ['One', 'Two'] })
    assert.deepEqual([job.action, job.status], ['notes.import', 'queued'])
    await s.settled()
    assert.equal(await s.system.notes.count(), 2)
    behaviour.run = () => {
      throw new Error('The printer is on fire.')
    }
    await s.system.notes.test({})
    await assert.rejects(s.settled(), /notes\.actions\.test failed: The printer is on fire\./)
  })
})
