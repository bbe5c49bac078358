/** Background actions: their jobs, from the 202 to the end (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { action, anyone, openService, resource, service, text } from '../../../src/index.ts'
import { pruneRows } from '../../../src/work/prune-rows.ts'
import { freshDatabase, lastingDatabase } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { admin, serve } from '../../service.ts'
import imports, { behaviour } from './fixtures/imports.ts'
import { aborted, ada, bob, day, jobWhen, open, start, startWith, uriOf } from './started-jobs.ts'

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
    await s.service.settled()
    assert.equal(await count(), after)
    assert.equal((await s.request(`GET ${uri}`, ada)).json.status, 'cancelled')
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
    await eventually(() => ended)
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
    const { model, store } = s.service
    for (const [days, status] of [
      [6, 200],
      [8, 404],
    ] as const) {
      await pruneRows({ model, store, now: Date.now() + days * day }, new AbortController().signal)
      assert.equal((await s.request(`GET ${uri}`, ada)).status, status)
    }
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
    for (const line of ['GET /jobs', 'GET /jobs/-/aggregate?aggregate=count', 'HEAD /jobs']) {
      assert.equal((await s.request(line)).status, 403, line)
    }
    assert.equal((await s.request('GET /jobs', { accept: 'text/event-stream' })).status, 403)
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
