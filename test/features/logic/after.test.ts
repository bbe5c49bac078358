/** `after`: code that runs after the commit, at least once and in order for each item (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ref, resource, service, text } from '../../../src/index.ts'
import { pruneLog } from '../../../src/service/log-pruning.ts'
import { lastingDatabase } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { serve } from '../../service.ts'
import { access, type Note, options, type Tools, withHooks } from './after-hooks.ts'

describe('after hooks', () => {
  it('get the item of the change, what it was before, and who made it', async () => {
    const seen: unknown[] = []
    const record =
      (kind: string) =>
      (item: Note, { previous, caller, requestId, now, signal }: Tools) => {
        assert.ok(Date.parse(now) > 0 && signal instanceof AbortSignal)
        seen.push({ kind, item: { ...item }, previous: previous && { ...previous }, caller, requestId })
      }
    const definition = withHooks({
      created: record('created'),
      updated: record('updated'),
      deleted: record('deleted'),
    })
    await using s = await serve(definition)
    const created = await s.request('POST /notes', {}, { title: 'a', pin: '1234' })
    const { id } = created.json
    const updated = await s.request(`PATCH /notes/${id}`, {}, { title: 'b' })
    const deleted = await s.request(`DELETE /notes/${id}`)
    await s.service.settled()
    const { createdAt } = created.json
    const caller = { kind: 'anonymous', roles: [] }
    const first = { id, title: 'a', createdAt, updatedAt: createdAt }
    const second = { id, title: 'b', createdAt, updatedAt: updated.json.updatedAt }
    const requestIds = [created, updated, deleted].map(({ fields }) => fields['request-id'])
    assert.deepEqual(seen, [
      { kind: 'created', item: first, previous: undefined, caller, requestId: requestIds[0] },
      { kind: 'updated', item: second, previous: first, caller, requestId: requestIds[1] },
      { kind: 'deleted', item: second, previous: second, caller, requestId: requestIds[2] },
    ])
  })

  it('see each version of an item in order, also when the next change is committed before', async () => {
    const titles: string[] = []
    const committed = Promise.withResolvers<void>()
    const slow = async ({ title }: Note) => {
      if (title === '0') await committed.promise
      titles.push(title)
    }
    await using s = await serve(withHooks({ created: slow, updated: slow }))
    const { json } = await s.request('POST /notes', {}, { title: '0' })
    for (const title of ['1', '2', '3']) await s.request(`PATCH /notes/${json.id}`, {}, { title })
    committed.resolve()
    await s.service.settled()
    assert.deepEqual(titles, ['0', '1', '2', '3'])
  })

  it('run for each item of a POST, for cascades, and for references that a deletion clears', async () => {
    const seen: string[] = []
    const projects = resource({ name: text() }, { access })
    const tasks = resource(
      { title: text(), project: ref('projects', { onDelete: 'cascade' }) },
      { access, bulk: true },
    )
    const remarks = resource({ task: ref('tasks', { onDelete: 'clear' }).optional() }, { access })
    const definition = service(
      { title: 'Tracker', resources: { projects, tasks, remarks } },
      {
        tasks: {
          after: {
            created: ({ title }) => void seen.push(`created ${title}`),
            deleted: ({ title }) => void seen.push(`deleted ${title}`),
          },
        },
        remarks: {
          after: {
            updated: ({ task }, { previous }) =>
              void seen.push(`cleared ${task} ${previous.task !== undefined}`),
          },
        },
      },
    )
    await using s = await serve(definition)
    const { json: project } = await s.request('POST /projects', {}, { name: 'p' })
    const items = ['a', 'b'].map((title) => ({ title, project: project.id }))
    const made = await s.request('POST /tasks', {}, items)
    assert.equal(made.status, 201, made.text)
    const { json: all } = await s.request('GET /tasks?title=a')
    assert.equal((await s.request('POST /remarks', {}, { task: all[0].id })).status, 201)
    assert.equal((await s.request(`DELETE /projects/${project.id}`)).status, 204)
    await s.service.settled()
    assert.deepEqual(seen.toSorted(), [
      'cleared undefined true',
      'created a',
      'created b',
      'deleted a',
      'deleted b',
    ])
  })

  it('do not run for a refused request, nor for changes from before the hook was declared', async (t) => {
    const database = await lastingDatabase(t)
    const seen: string[] = []
    const hook = ({ title }: Note) => void seen.push(title)
    const run = async (definition: Parameters<typeof serve>[0], title: string) => {
      await using s = await serve(definition, { database })
      assert.equal((await s.request('POST /notes', {}, { title: 7 })).status, 422)
      const { json } = await s.request('POST /notes', {}, { title })
      await s.request(`PATCH /notes/${json.id}`, {}, { title: `${title}!` })
      await s.service.settled()
    }
    await run(service(options), 'without hooks')
    await run(withHooks({ created: hook }), 'created only')
    await run(withHooks({ created: hook, updated: hook }), 'both')
    await run(withHooks({ updated: hook }), 'updated only')
    await run(withHooks({ created: hook }), 'created again')
    assert.deepEqual(seen, ['created only', 'both', 'both!', 'updated only!', 'created again'])
  })

  it('run for changes that were committed while no node ran', async (t) => {
    const database = await lastingDatabase(t)
    const seen: string[] = []
    let isStopping = true
    const definition = withHooks({
      async created({ title }, { signal }) {
        if (isStopping) await new Promise((resolve) => signal.addEventListener('abort', resolve))
        signal.throwIfAborted()
        seen.push(title)
      },
    })
    {
      await using s = await serve(definition, { database })
      await s.request('POST /notes', {}, { title: 'a' })
    }
    isStopping = false
    await using s = await serve(definition, { database })
    s.advance(10_000)
    await s.service.settled()
    assert.deepEqual(seen, ['a'])
  })

  it('entries are queued before they are pruned from the log', async () => {
    const seen: string[] = []
    let isOpen = false
    const definition = withHooks({
      async created({ title }) {
        await eventually(() => isOpen)
        seen.push(title)
      },
    })
    await using s = await serve(definition)
    for (const title of ['a', 'b']) await s.request('POST /notes', {}, { title })
    const { store, queueAll } = { store: s.service.store, queueAll: () => s.service.queueAfterHooks() }
    const clock = { now: () => Date.now() + 100 * 86_400_000 }
    const pruning = { store, clock, retention: 3600, queueWork: queueAll }
    await pruneLog(pruning, new AbortController().signal)
    assert.equal((await store.logExtent()).entries, 0)
    isOpen = true
    await s.service.settled()
    assert.deepEqual(seen.toSorted(), ['a', 'b'])
  })
})
