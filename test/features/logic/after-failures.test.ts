/** `after` hooks that throw, hang or refuse: one log line each, further attempts, parking and `restwell retry`. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { choice, email, password, resource, role, service, text } from '../../../src/index.ts'
import { fieldsOf } from '../../../src/operation/log-entry.ts'
import { outcomeOf } from '../../commands/command.ts'
import { lastingDatabase } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { admin, serve, type TestService } from '../../service.ts'
import { failing } from './fixtures/failing-hook.ts'

const users = resource({
  email: email().unique(),
  password: password(),
  role: choice(['admin']).optional(),
})
const access = {
  read: role('admin'),
  create: role('admin'),
  update: role('admin'),
  delete: role('admin'),
}
const notes = resource({ title: text() }, { access })
const options = {
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, notes },
} as const

function withHook(
  hook: (title: string, tools: { refuse: (type: 'state-conflict', text: string) => never }) => unknown,
) {
  const run = async ({ title }: { title: string }, tools: object) => {
    await hook(title, tools as Parameters<typeof hook>[1])
  }
  return service(options, { notes: { after: { created: run, updated: run } } })
}

/** The fields of the log lines about failed logic. */
function failuresOf({ observations }: TestService) {
  return observations.filter((one) => one.kind === 'logic-failed').map(fieldsOf)
}

async function figuresOf(s: TestService) {
  const { json } = await s.request('GET /status', { ...admin, accept: 'application/json' })
  const metrics = await s.request('GET /metrics', admin)
  const [, parked] = /^restwell_after_parked (\d+)$/m.exec(metrics.text) ?? []
  return { ...json.after, metric: Number(parked) }
}

describe('an after hook', () => {
  it('that throws has one log line with its place, the request and the place in its code', async () => {
    let isBroken = true
    const seen: string[] = []
    const definition = withHook((title) => {
      if (isBroken) failing()
      seen.push(title)
    })
    await using s = await serve(definition)
    const { fields } = await s.request('POST /notes', admin, { title: 'a' })
    await assert.rejects(s.service.settled(), {
      message: 'notes.after.created failed: The printer is on fire.',
    })
    assert.equal(failuresOf(s).length, 1)
    const [line] = failuresOf(s)
    assert.equal(line?.hook, 'notes.after.created')
    assert.equal(line?.request, fields['request-id'])
    assert.match(String(line?.stack), /failing-hook\.ts:\d+/)
    assert.equal('parked' in (line ?? {}), false)
    assert.equal((await figuresOf(s)).waiting, 1)
    isBroken = false
    s.advance(6000)
    await eventually(() => seen.length > 0)
    await s.service.settled()
    assert.deepEqual(seen, ['a'])
    assert.deepEqual(await figuresOf(s), { waiting: 0, parked: 0, lag: 0, metric: 0 })
  })

  it('that never ends fails when its time is over; its signal is aborted', async () => {
    const aborted: unknown[] = []
    const definition = service(options, {
      notes: {
        after: {
          created: (_, { signal }) =>
            new Promise(() => signal.addEventListener('abort', () => aborted.push(signal.reason.message))),
        },
      },
    })
    await using s = await serve(definition, { after: { timeout: 50 } })
    await s.request('POST /notes', admin, { title: 'a' })
    const message = 'notes.after.created took longer than 50 ms.'
    await assert.rejects(s.service.settled(), { message })
    assert.deepEqual(aborted, [message])
    assert.equal(failuresOf(s).length, 1)
  })

  it('that does not await its calls fails', async () => {
    const definition = service(options, {
      notes: { after: { created: (_, { notes }) => void notes.count() } },
    })
    await using s = await serve(definition)
    await s.request('POST /notes', admin, { title: 'a' })
    await assert.rejects(s.service.settled(), /has ended before 1 of its calls\. Await them\./)
  })

  it('that refuses is parked at once and lets the next change of its item pass', async () => {
    const seen: string[] = []
    const definition = withHook((title, { refuse }) => {
      if (title === 'a') refuse('state-conflict', 'The address is unknown.')
      seen.push(title)
    })
    await using s = await serve(definition)
    const { json } = await s.request('POST /notes', admin, { title: 'a' })
    await s.request(`PATCH /notes/${json.id}`, admin, { title: 'b' })
    await eventually(() => seen.length > 0)
    assert.deepEqual(seen, ['b'])
    const [line] = failuresOf(s)
    assert.equal(failuresOf(s).length, 1)
    assert.equal(line?.cause, 'notes.after.created refused: The address is unknown.')
    assert.match(String(line?.parked), /^[0-9a-f-]{36}$/)
    await eventually(async () => (await figuresOf(s)).waiting === 0)
    assert.deepEqual(await figuresOf(s), { waiting: 0, parked: 1, lag: 0, metric: 1 })
    const page = await s.request('GET /status', { ...admin, accept: 'text/html' })
    assert.match(page.text, /<dt>After hooks<\/dt><dd>0 waiting; 1 parked<\/dd>/)
  })

  it('that fails for three days is parked; restwell retry runs it again', async (t) => {
    const database = await lastingDatabase(t)
    const attempts: string[] = []
    {
      const definition = withHook((title) => {
        attempts.push(title)
        if (title === 'a') throw new Error('No.')
      })
      await using s = await serve(definition, { database })
      const { json } = await s.request('POST /notes', admin, { title: 'a' })
      await s.request(`PATCH /notes/${json.id}`, admin, { title: 'b' })
      for (let failed = 1; failed <= 11; failed += 1) {
        await eventually(() => failuresOf(s).length === failed)
        s.advance(25 * 3_600_000)
      }
      await eventually(() => attempts.at(-1) === 'b')
      assert.equal(attempts.filter((one) => one === 'a').length, 11)
      assert.equal(failuresOf(s).filter((one) => 'parked' in one).length, 1)
    }
    const place = ['--service', 'test/features/logic/fixtures/parked-notes.ts', '--database', database]
    const listed = await outcomeOf(['retry', '--list', ...place])
    const [id = '', hook] = listed.stdout.split('  ')
    assert.equal(hook, 'notes.after.created', listed.stdout + listed.stderr)
    const unknown = await outcomeOf(['retry', 'nothing', ...place])
    assert.equal(unknown.stderr, "No parked run 'nothing'. List them with: restwell retry --list\n")
    assert.equal((await outcomeOf(['retry', id, ...place])).stdout, '1 parked run is queued.\n')
    assert.equal((await outcomeOf(['retry', ...place])).stdout, 'Nothing is parked.\n')
    const retried: string[] = []
    await using s = await serve(
      withHook((title) => retried.push(title)),
      { database },
    )
    await s.service.settled()
    assert.deepEqual(retried, ['a'])
  })
})
