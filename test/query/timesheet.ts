/** A definition with every kind that can be summarised, and a few items of it. */

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  integer,
  list,
  number,
  ref,
  resource,
  service,
  text,
  where,
} from 'restwell'
import { type Handled, type Handling, handling } from '../handling.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const timesheet = service({
  title: 'Timesheet',
  resources: {
    projects: resource({ name: text({ max: 50 }) }, { access: open }),
    rooms: resource({ code: text({ max: 20 }) }, { key: 'code', access: open }),
    entries: resource(
      {
        project: ref('projects').optional(),
        room: ref('rooms').optional(),
        hours: decimal({ scale: 2 }).optional(),
        weight: number().optional(),
        steps: integer().optional(),
        day: date().optional(),
        status: choice(['open', 'done']).default('open'),
        billed: boolean().default(false),
        note: text({ max: 200 }).optional(),
        tags: list(text({ max: 10 })).default([]),
        rate: number().optional(),
        secret: decimal({ scale: 2 })
          .optional()
          .visibleTo(where({ status: 'done' })),
        code: integer().optional().filterable(false),
      },
      { access: open, search: ['note'], bulk: true, cache: { maxAge: 60 } },
    ),
  },
})

export interface Timesheet extends AsyncDisposable {
  readonly sheet: Handling
  /** The ids of two projects, in ascending order. */
  readonly projects: readonly string[]
  /** GET of the entries with this query. */
  get(query: string, fields?: Record<string, string>): Promise<Handled>
  /** The rows of a successful GET. */
  rows(query: string): Promise<readonly Record<string, unknown>[]>
}

export async function openTimesheet(): Promise<Timesheet> {
  const sheet = await handling(timesheet)
  const projects: string[] = []
  for (const name of ['Alpha', 'Beta <i>']) {
    projects.push((await sheet.handle('POST /projects', {}, { name })).json.id)
    // The ids of one millisecond are in random order.
    await pause(2)
  }
  await sheet.handle('POST /rooms', {}, { code: 'R 1' })
  const [alpha, beta] = projects
  const made = await sheet.handle('POST /entries', {}, [
    {
      project: alpha,
      hours: '1.50',
      weight: 0.1,
      steps: 3,
      day: '2026-01-31',
      note: 'first words',
      room: 'R 1',
    },
    { project: alpha, hours: '2.25', weight: 0.2, steps: 4, day: '2026-02-01', status: 'done', billed: true },
    { project: beta, hours: '0.01', weight: 1e300, day: '2025-02-01', note: '=1+1' },
    { project: beta, steps: -9, note: 'second words' },
    { hours: '-4.00', secret: '10.00' },
  ])
  assert.equal(made.status, 201, made.text)
  const get: Timesheet['get'] = (query, fields = {}) =>
    sheet.handle(`GET /entries/-/aggregate?${query}`, fields)
  return {
    sheet,
    projects,
    get,
    async rows(query) {
      const { status, text, json } = await get(query)
      assert.equal(status, 200, text)
      return json
    },
    [Symbol.asyncDispose]: () => sheet[Symbol.asyncDispose](),
  }
}
