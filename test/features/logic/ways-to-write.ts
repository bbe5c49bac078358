/**
 * Every way to write items, as a table. Each writes tasks that start in February 2026 and are due on a date.
 * The definition has the actions `reschedule` on a task and `plan` on the collection.
 */

import type { Reply, SendRequest } from '../../service.ts'

export interface WayToWrite {
  readonly title: string
  /** The number of tasks that it writes. */
  readonly tasks: number
  /** The pointers of a fault at `due` in each task. */
  readonly pointers: readonly string[]
  /** Writes tasks with this due date. `seed` is the URI of a task that may be changed. */
  write(request: SendRequest, due: string, seed: string): Promise<Reply>
}

const start = '2026-02-01'
const xml = { 'content-type': 'application/xml' }
const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
const inXml = (due: string) =>
  `<tasks><code>X</code><title>x</title><start>${start}</start><due>${due}</due></tasks>`
const one = (code: string, due: string) => ({ code, title: 'x', start, due })
const csv = (due: string) => `code,title,start,due\r\nA,x,${start},${due}\r\nB,x,${start},${due}\r\n`

const single = { tasks: 1, pointers: ['/due'] }
const double = { tasks: 2, pointers: ['/0/due', '/1/due'] }

export const waysToWrite: readonly WayToWrite[] = [
  {
    title: 'POST of JSON',
    ...single,
    write: (request, due) => request('POST /tasks', {}, one('X', due)),
  },
  {
    title: 'POST with an Idempotency-Key',
    ...single,
    write: (request, due) => request('POST /tasks', { 'idempotency-key': 'k' }, one('X', due)),
  },
  {
    title: 'POST of XML',
    ...single,
    write: (request, due) => request('POST /tasks', xml, inXml(due)),
  },
  {
    title: 'POST of a form',
    ...single,
    write: (request, due) => request('POST /tasks', form, `code=X&title=x&start=${start}&due=${due}`),
  },
  {
    title: 'POST to a sub-collection',
    ...single,
    write: async (request, due) => {
      const { json } = await request('GET /projects')
      return request(`POST /projects/${json[0].id}/tasks`, {}, one('X', due))
    },
  },
  {
    title: 'POST of several items',
    ...double,
    write: (request, due) => request('POST /tasks', {}, [one('A', due), one('B', due)]),
  },
  {
    title: 'POST of CSV',
    ...double,
    write: (request, due) => request('POST /tasks', { 'content-type': 'text/csv' }, csv(due)),
  },
  {
    title: 'POST of NDJSON',
    ...double,
    write: (request, due) => {
      const lines = `${JSON.stringify(one('A', due))}\n${JSON.stringify(one('B', due))}\n`
      return request('POST /tasks', { 'content-type': 'application/x-ndjson' }, lines)
    },
  },
  {
    title: 'PUT that creates',
    ...single,
    write: (request, due) => request('PUT /tasks/NEW', {}, { title: 'x', start, due }),
  },
  {
    title: 'PUT',
    ...single,
    write: (request, due, seed) => request(`PUT ${seed}`, {}, { title: 'y', start, due }),
  },
  {
    title: 'PUT of XML',
    ...single,
    write: (request, due, seed) => request(`PUT ${seed}`, xml, inXml(due).replace('<code>X</code>', '')),
  },
  {
    title: 'PATCH of a merge patch',
    ...single,
    write: (request, due, seed) => request(`PATCH ${seed}`, {}, { due }),
  },
  {
    title: 'PATCH of XML',
    ...single,
    write: (request, due, seed) => request(`PATCH ${seed}`, xml, `<tasks><due>${due}</due></tasks>`),
  },
  {
    title: 'JSON Patch',
    ...single,
    write: (request, due, seed) => {
      const patch = { 'content-type': 'application/json-patch+json' }
      return request(`PATCH ${seed}`, patch, [{ op: 'replace', path: '/due', value: due }])
    },
  },
  {
    title: 'PATCH by a form of an HTML page',
    ...single,
    write: (request, due, seed) => request(`POST /forms${seed}?method=PATCH`, form, `due=${due}`),
  },
  {
    title: 'a transition with other values',
    ...single,
    write: (request, due, seed) => request(`PATCH ${seed}`, {}, { status: 'closed', due }),
  },
  {
    title: 'an action on the item',
    ...single,
    write: (request, due, seed) => request(`POST ${seed}/reschedule`, {}, { due }),
  },
  {
    title: 'an action on the collection',
    ...single,
    write: (request, due) => request('POST /tasks/plan', {}, { due }),
  },
]
