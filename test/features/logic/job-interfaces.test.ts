/** Jobs in every interface: HTML pages, HAL-FORMS, XML, CSV, events, OpenAPI, schemas, the client, /status, commands. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { client } from '../../../src/client.ts'
import { clientSource } from '../../../src/describe/client-source.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { eventually } from '../../eventually.ts'
import { admin, adminPassword, basic, type Reply, serve, type TestService } from '../../service.ts'
import imports, { behaviour } from './fixtures/imports.ts'

const ada = basic('ada@example.org', adminPassword)
const page = { accept: 'text/html' }

interface Started extends AsyncDisposable {
  readonly s: TestService
  /** The URI of a job of Ada, which runs until it is released. */
  readonly job: string
  release(): void
}

async function openStarted(): Promise<Started> {
  const s = await serve(imports)
  await s.request('POST /users', admin, { email: 'ada@example.org', password: adminPassword })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  behaviour.run = ({ report }) => {
    report(0.4)
    return released
  }
  const job = String((await s.request('POST /notes/test', ada)).fields.location)
  await when(s, job, ({ json }) => json.progress === 0.4)
  return { s, job, release, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

function when(s: TestService, uri: string, holds: (reply: Reply) => boolean): Promise<Reply> {
  return eventually(async () => {
    const reply = await s.request(`GET ${uri}`, ada)
    return holds(reply) && reply
  })
}

const hasEnded = ({ json }: Reply) => json.endedAt !== undefined

describe('the page of a job', () => {
  it('shows its progress, is loaded again without script and kept current with it, until it ends', async () => {
    await using o = await openStarted()
    const running = (await o.s.request(`GET ${o.job}`, { ...page, ...ada })).text
    assert.match(running, /<noscript><meta http-equiv="refresh" content="3"><\/noscript>/)
    assert.match(running, /<div id="job" data-live="1">/)
    assert.match(running, /<progress max="1" value="0.4" aria-label="Progress">40 %<\/progress> 40 %/)
    assert.match(running, new RegExp(`<form [^>]*action="${o.job}/cancel"`))
    assert.doesNotMatch(running, /method=DELETE/)
    o.release()
    await when(o.s, o.job, hasEnded)
    const ended = (await o.s.request(`GET ${o.job}`, { ...page, ...ada })).text
    assert.doesNotMatch(ended, /http-equiv="refresh"|data-live|\/cancel"/)
    assert.match(ended, /<div id="job">/)
    assert.match(ended, /method=DELETE/)
  })

  it('follows a form of the action, which redirects to it; so does the form that cancels', async () => {
    await using o = await openStarted()
    const list = await o.s.request('GET /notes', { ...page, ...ada })
    assert.match(list.text, /action="\/forms\/notes\/import/)
    const form = { ...page, ...ada, 'content-type': 'application/x-www-form-urlencoded' }
    const sent = await o.s.request('POST /forms/notes/import', form, 'titles=One&titles=Two')
    assert.equal(sent.status, 303, sent.text)
    assert.match(String(sent.fields.location), /^\/jobs\//)
    const cancelled = await o.s.request(`POST ${o.job}/cancel`, form, '')
    assert.deepEqual([cancelled.status, cancelled.fields.location], [303, o.job])
    await when(o.s, String(sent.fields.location), hasEnded)
    const ended = (await o.s.request(`GET ${sent.fields.location}`, { ...page, ...ada })).text
    assert.match(ended, /<dt>Result<\/dt><dd><a href="\/notes\/[0-9a-f-]{36}">/)
    const jobs = (await o.s.request('GET /jobs', { ...page, ...ada })).text
    assert.match(jobs, /<progress max="1" value="1"/)
    assert.match(list.text, /<a href="\/jobs">Jobs<\/a>/)
  })
})

describe('a job', () => {
  it('offers its cancellation as a template, and its deletion after its end', async () => {
    await using o = await openStarted()
    const hal = { accept: 'application/prs.hal-forms+json', ...ada }
    const running = (await o.s.request(`GET ${o.job}`, hal)).json
    assert.deepEqual(running._templates, {
      cancel: { title: 'Cancel', method: 'POST', target: `${o.job}/cancel`, properties: [] },
    })
    const done = await o.s.request('POST /notes/import', { ...hal, prefer: 'wait=20' }, { titles: ['One'] })
    assert.deepEqual(Object.keys(done.json._templates), ['delete'])
    assert.equal(done.json._links['rw:result'].href, done.json.result)
    const meaning = await o.s.request('GET /relations/result', ada)
    assert.deepEqual(meaning.json.meaning, ['The item that a job has made, or the item of its action.'])
    assert.equal((await o.s.request('GET /', ada)).json.links.jobs, '/jobs')
  })

  it('has the same members in XML and CSV, and an event stream', async () => {
    await using o = await openStarted()
    const xml = (await o.s.request(`GET ${o.job}`, { accept: 'application/xml', ...ada })).text
    assert.match(xml, /<action>notes\.test<\/action><status>running<\/status><progress>0\.4<\/progress>/)
    const csv = (await o.s.request('GET /jobs', { accept: 'text/csv', ...ada })).text.split(/\r?\n/)
    assert.match(
      csv[0] ?? '',
      /action,status,progress,message,result,output,problem,startedAt,endedAt,creator/,
    )
    assert.match(csv[1] ?? '', /notes\.test,running,0\.4/)
    const events = (await o.s.request('GET /events', ada)).json as { type: string; href: string }[]
    assert.ok(events.some(({ type, href }) => type === 'jobs.updated' && href === o.job))
    assert.ok(events.some(({ type, href }) => type === 'jobs.created' && href === o.job))
  })

  it('fails with a problem that every format shows', async () => {
    await using o = await openStarted()
    behaviour.run = () => {
      throw new Error('The printer is on fire.')
    }
    for (const accept of ['application/json', 'application/xml', 'text/html']) {
      const fields = { ...ada, accept, prefer: 'wait=20' }
      const { status, text } = await o.s.request('POST /notes/test', fields)
      assert.equal(status, 200)
      assert.match(text, /problems\/internal-error/)
      assert.doesNotMatch(text, /printer/)
    }
  })
})

describe('descriptions', () => {
  it('OpenAPI has the jobs, their cancellation, and 202 for background actions', async () => {
    await using o = await openStarted()
    const { paths, components } = (await o.s.request('GET /openapi.json', ada)).json
    assert.deepEqual(Object.keys(paths['/notes/import'].post.responses).slice(0, 2), ['200', '202'])
    assert.equal(paths['/notes/import'].post.responses[202].$ref, '#/components/responses/QueuedJob')
    assert.ok(components.responses.QueuedJob.headers['Retry-After'])
    assert.deepEqual(Object.keys(paths['/jobs/{id}/cancel']).sort(), ['parameters', 'post'])
    assert.ok(paths['/jobs/{id}'].delete && !paths['/jobs'].post)
    const schema = (await o.s.request('GET /schemas/jobs', ada)).json
    assert.deepEqual(schema.properties.status.enum, ['queued', 'running', 'done', 'failed', 'cancelled'])
    assert.equal(schema.properties.ownerless, undefined)
  })

  it('a definition without background actions has no trace of jobs', async () => {
    const { default: office } = await import('./fixtures/office.ts')
    await using s = await serve(office)
    assert.doesNotMatch((await s.request('GET /openapi.json', admin)).text, /jobs|QueuedJob/)
    assert.equal((await s.request('GET /jobs', admin)).status, 404)
  })

  it('/status and /metrics count the jobs that have not ended', async () => {
    await using o = await openStarted()
    assert.equal((await o.s.request('GET /status', admin)).json.jobs.waiting, 1)
    assert.match((await o.s.request('GET /metrics', admin)).text, /^restwell_jobs_waiting 1$/m)
    assert.match(
      (await o.s.request('GET /status', { ...admin, ...page })).text,
      /<dt>Jobs<\/dt><dd>1 waiting/,
    )
  })

  it('the generated client has their types', () => {
    const source = clientSource(checkDefinition(imports), 'everyone')
    assert.match(source, /readonly isJob: true/)
    const [, result] =
      /readonly import: \{ readonly on: 'collection'; .*?result: ([^}]*) \}\n/s.exec(source) ?? []
    assert.equal(result, "Service['jobs']['row']")
  })
})

describe('the client', () => {
  it('starts a job, waits for its end, and cancels it', async () => {
    await using o = await openStarted()
    const api = client<typeof imports>(o.s.url, { authorization: ada.authorization })
    const { id, status } = await api.notes.import({ titles: ['One'] })
    assert.equal(status, 'queued')
    const ended = await api.jobs.ended(id)
    assert.deepEqual([ended.status, ended.progress], ['done', 1])
    const [running] = await api.jobs.list({ status: 'running' })
    assert.equal((await api.jobs.cancel(String(running?.id), {})).status, 'cancelled')
    await api.jobs.remove(id)
  })
})
