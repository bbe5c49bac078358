/**
 * Derived fields: a page of 20 items with the count of the 1,000 items that refer to each of them, relative to the same
 * page without it. A rule about the items prevents that the page is cached.
 */

import { randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { anyone, boolean, count, ref, resource, service, text, where } from 'restwell'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { createService, type RunningService } from '../../src/service/service.ts'
import { always } from '../../src/store/condition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { Store } from '../../src/store/store.ts'
import type { InsertWrite } from '../../src/store/write.ts'
import { startCluster } from '../../test/cluster.ts'
import { median } from '../rounds.ts'
import type { Run } from '../run.ts'

/** By store: microseconds of a page without and with the count. */
export type DerivedCosts = Readonly<
  Record<'SQLite' | 'PostgreSQL', { readonly plain: number; readonly counted: number }>
>

/** The most that the page with the count may cost, relative to the page without it. */
export const mostTimesPlain = 5

const page = 20
const childrenPerItem = 1000
const pagesPerRun = 20

const model = checkDefinition(
  service({
    title: 'Projects',
    resources: {
      projects: resource(
        { name: text({ max: 100 }), open: boolean() },
        { access: { read: where({ open: true }) }, derived: { size: count('tasks') } },
      ),
      tasks: resource(
        { title: text({ max: 100 }), project: ref('projects', { inverse: 'tasks' }) },
        { access: { read: anyone } },
      ),
    },
  }),
)
const schema = schemaOf(model)

export async function measureDerived({ folder, options }: Run): Promise<DerivedCosts> {
  const file = `file:${join(folder, 'derived.db')}`
  const cluster = await startCluster()
  try {
    return {
      SQLite: await measureStore(file, options.rounds),
      PostgreSQL: await measureStore(cluster.freshUrl(), options.rounds, vacuum),
    }
  } finally {
    await cluster.end()
  }
}

async function measureStore(
  url: string,
  rounds: number,
  prepare: (url: string) => Promise<void> = async () => {},
) {
  const store = await openStore(url, schema, () => {})
  await fill(store)
  await prepare(url)
  const running = await createService({ model, store, observe: () => {}, rate: 'off', overload: 'off' })
  const plain: number[] = []
  const counted: number[] = []
  // In turns, so that other load affects both.
  for (let round = 0; round < rounds * 10; round += 1) {
    plain.push(await measurePage(running, 'name'))
    counted.push(await measurePage(running, 'name,size'))
  }
  await running.close()
  return { plain: median(plain), counted: median(counted) }
}

/** As the server does by itself after some time. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

async function fill(store: Store): Promise<void> {
  const projects = Array.from({ length: page + 5 }, () => randomUUIDv7())
  await store.write(projects.map((identity) => insert('projects', identity, ['Project', 1])))
  for (const project of projects) {
    const tasks = Array.from({ length: childrenPerItem }, () =>
      insert('tasks', randomUUIDv7(), ['Task', project]),
    )
    await store.write(tasks)
  }
}

function insert(table: string, identity: string, values: readonly (string | number)[]): InsertWrite {
  const time = '2026-01-01T00:00:00.000Z'
  return { kind: 'insert', table, values: [identity, 1, time, time, ...values], conditionAfter: always }
}

/** Microseconds of one page. */
async function measurePage(running: RunningService, fields: string): Promise<number> {
  const began = performance.now()
  for (let n = 0; n < pagesPerRun; n += 1) {
    const { status } = await running.handle({
      id: randomUUIDv7(),
      method: 'GET',
      target: `/projects?limit=${page}&fields=${fields}`,
      fields: {},
      content: {
        present: false,
        length: 0,
        read: async () => new Uint8Array(),
        stream: async function* () {},
      },
      client: { address: '127.0.0.1', secure: false },
    })
    if (status !== 200) throw new Error(`The page has the status ${status}`)
  }
  return ((performance.now() - began) * 1000) / pagesPerRun
}
