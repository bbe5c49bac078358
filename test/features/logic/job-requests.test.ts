/** The request of a background action: its response, what refuses it, and how long it waits. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { admin } from '../../service.ts'
import { behaviour } from './fixtures/imports.ts'
import { aborted, ada, bob, jobWhen, open, start, uriOf } from './started-jobs.ts'

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
