/** Batches that are refused: by one of their requests, or because they are not well-formed. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serve } from '../service.ts'
import { type Entry, seed, send, sizeOf, tracker } from './batch-tracker.ts'

describe('a refused request refuses the batch, with its own problem, and leaves no trace', () => {
  const shared = new Set([403, 409, 412])
  const made: Entry = { method: 'POST', path: '/projects', body: { name: 'Made' } }
  const noId = '01a1e897-1555-798b-9868-9195cc8e0e5f'
  const refusals: readonly (readonly [string, (uris: { task: string; project: string }) => Entry, number])[] =
    [
      ['invalid content', () => ({ method: 'POST', path: '/projects', body: { name: 'x'.repeat(21) } }), 422],
      [
        'a duplicate of a stored item',
        () => ({ method: 'POST', path: '/projects', body: { name: 'Seed' } }),
        409,
      ],
      ['a duplicate of an earlier request', () => made, 409],
      [
        'an absent item',
        () => ({ method: 'DELETE', path: '/tasks/01a1e897-1555-798b-9868-9195cc8e0e5f' }),
        404,
      ],
      ['an unknown path', () => ({ method: 'POST', path: '/nothing', body: {} }), 404],
      ['a method that is not offered', () => ({ method: 'PUT', path: '/projects', body: {} }), 405],
      [
        'a false precondition',
        ({ task }) => ({ method: 'DELETE', path: task, headers: { 'if-match': '"x"' } }),
        412,
      ],
      ['a false assertion', ({ task }) => ({ path: task, headers: { 'if-match': '"x"' } }), 412],
      [
        'a missing precondition',
        () => ({ method: 'PUT', path: '/labels/01a1e897-1555-798b-9868-9195cc8e0e5f', body: { name: 'a' } }),
        428,
      ],
      [
        'a type that is not accepted',
        ({ task }) => ({ method: 'PATCH', path: task, headers: { 'content-type': 'text/csv' }, body: {} }),
        415,
      ],
      ['a right that is missing', () => ({ method: 'POST', path: '/diaries', body: { text: 'a' } }), 403],
      ['an unknown parameter', () => ({ method: 'POST', path: '/projects?x=1', body: { name: 'b' } }), 400],
      ['several items', () => ({ method: 'POST', path: '/labels', body: [{ name: 'a' }] }), 422],
      ['a token', () => ({ method: 'POST', path: '/tokens', body: {} }), 422],
      ['a new secret of a webhook', () => ({ method: 'POST', path: `/webhooks/${noId}/rotate` }), 422],
      ['a webhook', () => ({ method: 'POST', path: '/webhooks', body: {} }), 422],
      [
        'a password',
        () => ({
          method: 'POST',
          path: '/users',
          body: { email: 'b@example.org', password: 'correct horse battery', role: 'member' },
        }),
        422,
      ],
      ['a batch', () => ({ method: 'POST', path: '/batch', body: { requests: [] } }), 422],
      ['an assertion about a collection', () => ({ path: '/projects' }), 422],
      [
        'an id of an earlier request that made nothing',
        ({ task }) => ({
          method: 'POST',
          path: '/tasks',
          body: { title: 'a' },
          bind: { '/project': 'task' },
          task,
        }),
        422,
      ],
    ]
  for (const [title, entryOf, expected] of refusals) {
    it(title, async () => {
      await using s = await serve(tracker)
      const { taskUri, projectUri } = await seed(s)
      const { task, ...entry } = entryOf({ task: taskUri, project: projectUri })
      const first = task ? [{ id: 'task', method: 'PATCH', path: task, body: { title: 'b' } }] : [made]
      const before = await sizeOf(s)
      const { status, json } = await send(s, [...first, entry])
      assert.deepEqual(
        [status, json.type, json.index],
        [shared.has(expected) ? expected : 422, '/problems/batch-refused', 1],
        JSON.stringify(json),
      )
      assert.equal(json.problem.status, expected, JSON.stringify(json.problem))
      assert.deepEqual(await sizeOf(s), before)
    })
  }
})

it('the pointers of a refused request are into the content of the batch', async () => {
  await using s = await serve(tracker)
  const { json } = await send(s, [
    { method: 'POST', path: '/projects', body: { name: 'One' } },
    { method: 'POST', path: '/projects', body: { name: 1, nothing: true } },
  ])
  const pointers = json.problem.errors.map(({ pointer }: { pointer: string }) => pointer)
  assert.deepEqual(pointers.sort(), ['/requests/1/body/name', '/requests/1/body/nothing'])
})

describe('a batch that is not well-formed is refused with pointers', () => {
  it('an empty list has the rule minItems, a list of 101 maxItems (JSON Schema §6.4)', async () => {
    await using s = await serve(tracker)
    for (const [count, rule] of [
      [0, 'minItems'],
      [101, 'maxItems'],
    ] as const) {
      const content = { requests: Array(count).fill({ path: '/tasks' }) }
      const { json } = await s.request('POST /batch', {}, content)
      assert.deepEqual([json.errors[0].pointer, json.errors[0].rule], ['/requests', rule])
    }
  })

  const faults: readonly (readonly [string, unknown, string])[] = [
    ['no requests', {}, '/requests'],
    ['an empty list', { requests: [] }, '/requests'],
    ['101 requests', { requests: Array(101).fill({ path: '/tasks' }) }, '/requests'],
    ['no array', { requests: { path: '/tasks' } }, '/requests'],
    ['an unknown member', { requests: [{ path: '/a' }], atomic: true }, '/atomic'],
    ['a request that is no object', { requests: [1] }, '/requests/0'],
    ['an unknown member of a request', { requests: [{ path: '/a', url: '/b' }] }, '/requests/0/url'],
    ['a method that only reads', { requests: [{ method: 'GET', path: '/a' }] }, '/requests/0/method'],
    ['no path', { requests: [{ method: 'POST' }] }, '/requests/0/path'],
    ['a path of another origin', { requests: [{ path: 'http://example.org/' }] }, '/requests/0/path'],
    [
      'another header field',
      { requests: [{ path: '/a', headers: { cookie: 'a' } }] },
      '/requests/0/headers/cookie',
    ],
    [
      'a header field that is no text',
      { requests: [{ path: '/a', headers: { 'if-match': 1 } }] },
      '/requests/0/headers/if-match',
    ],
    [
      'two requests with one id',
      {
        requests: [
          { id: 'a', path: '/a' },
          { id: 'a', path: '/a' },
        ],
      },
      '/requests/1/id',
    ],
    [
      'an id of a later request',
      {
        requests: [
          { path: '/a', bind: { '/a': 'b' } },
          { id: 'b', path: '/a' },
        ],
      },
      '/requests/0/bind',
    ],
    [
      'a malformed pointer',
      {
        requests: [
          { id: 'a', path: '/a' },
          { path: '/a', bind: { a: 'a' } },
        ],
      },
      '/requests/1/bind',
    ],
    ['an assertion with a body', { requests: [{ path: '/a', body: {} }] }, '/requests/0/body'],
  ]
  for (const [title, content, pointer] of faults) {
    it(title, async () => {
      await using s = await serve(tracker)
      const { status, json } = await s.request('POST /batch', {}, content as object)
      assert.equal(status, 422, JSON.stringify(json))
      assert.deepEqual(
        json.errors.map((fault: Entry) => fault.pointer),
        [pointer],
      )
    })
  }
})
