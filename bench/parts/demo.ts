/**
 * Compares the tables of examples/shop.ts with the bench's own table: `products` (a key, role
 * rules) and `articles` (a unique field, a reference, a state, rules on rows). Each is a service of
 * its own, all measured in one run.
 */

import { join } from 'node:path'
import { type Answer, ask, type BenchRequest } from '../ask.ts'
import { anyBelow } from '../note.ts'
import { type Figures, measureAll } from '../rounds.ts'
import { type Run, startFilledService, Targets } from '../run.ts'
import type { Target } from '../target.ts'
import { startShop } from '../targets.ts'
import { type Workload, type WorkloadName, workloads } from '../workload.ts'

/** By workload, then `notes`, `products` and `articles`. */
export type Demo = Readonly<Record<string, Figures>>

const rows = 1000
const measured: readonly WorkloadName[] = ['item GET', 'list of 20', 'create', 'patch']

export async function measureDemo(run: Run): Promise<Demo> {
  await using targets = new Targets()
  await targets.add(startFilledService(run, { name: 'notes', rows }))
  for (const [name, table] of Object.entries(tables)) {
    const database = `file:${join(run.folder, `${name}.db`)}`
    await fill(await targets.add(startShop({ name, database, rows })), table)
  }
  const chosen = workloads.filter(({ name }) => measured.includes(name))
  return await measureAll(targets.all, chosen.map(forEachTable), run.setting)
}

/** A table of the shop. */
interface ShopTable {
  /** The content of the item with this name, which must be unique. */
  create(name: string): object
  patch(value: number): object
}

const tables: Readonly<Record<string, ShopTable>> = {
  products: {
    create: (name) => ({ sku: name, name: `Product ${name}`, price: '12.50', stock: 7 }),
    patch: (stock) => ({ stock }),
  },
  articles: {
    create: (name) => ({ slug: name.toLowerCase(), title: `Article ${name}`, tags: ['a', 'b'] }),
    patch: (value) => ({ title: `Article ${value}` }),
  },
}

/** The paths of the items of each target. */
const items = new Map<string, readonly string[]>()

async function fill(target: Target, table: ShopTable): Promise<void> {
  const paths: string[] = []
  for (let n = 0; n < rows; n += 1) {
    const { fields } = await ask(target.url, creation(target, table, `FILLED-${n}`))
    paths.push(String(fields.location))
  }
  items.set(target.name, paths)
}

/** The workload for the bench's own table, or the same workload for a table of the shop. */
function forEachTable(own: Workload): Workload {
  return {
    name: own.name,
    requests: async (target) => {
      const table = tables[target.name]
      return table ? shopRequests(own.name, target, table) : own.requests(target)
    },
    isRight: ({ text }: Answer) => text.length > 2,
  }
}

/** More than one round uses, since a repeated creation is a conflict. */
const creations = 60_000

function shopRequests(name: WorkloadName, target: Target, table: ShopTable): BenchRequest[] {
  const paths = items.get(target.name) ?? []
  const fields = authorization(target)
  if (name === 'list of 20') {
    return [{ method: 'GET', path: `/${target.name}?limit=20`, fields, status: 200 }]
  }
  if (name === 'item GET') return paths.map((path) => ({ method: 'GET', path, fields, status: 200 }))
  if (name === 'create') {
    const round = `R${anyBelow(1e9)}`
    return Array.from({ length: creations }, (_, n) => creation(target, table, `${round}-${n}`))
  }
  const first = anyBelow(1e6)
  return [0, 1].flatMap((turn) =>
    paths.map((path, at) => {
      const content = JSON.stringify(table.patch(first + at + turn))
      return { method: 'PATCH', path, fields, content, status: 200 }
    }),
  )
}

function creation(target: Target, table: ShopTable, name: string): BenchRequest {
  const content = JSON.stringify(table.create(name))
  return {
    method: 'POST',
    path: `/${target.name}`,
    fields: authorization(target),
    content,
    status: 201,
  }
}

function authorization({ token }: Target) {
  return { Authorization: `Bearer ${token}` }
}
