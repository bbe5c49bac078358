/**
 * Compares an HTML page of fifty items with the same as JSON: octets and processor time.
 * `node --conditions=source bench/pages.ts`
 */

import shop from '../examples/shop.ts'
import type { HttpRequest } from '../src/http/message.ts'
import { checkDefinition } from '../src/service/check-definition.ts'
import { createService, type RunningService } from '../src/service/service.ts'
import { always } from '../src/store/condition.ts'
import { schemaOf } from '../src/store/schema/model-schema.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { median } from './rounds.ts'

const rows = 50
const runs = 60
const rounds = 25
export const mostOctets = 40_000
export const mostTimes = 5
const time = '2026-01-01T00:00:00.000Z'

export interface PageCost {
  readonly collection: string
  readonly pageOctets: number
  readonly jsonOctets: number
  readonly pageMicroseconds: number
  readonly jsonMicroseconds: number
  /** Processor time of the HTML page relative to the JSON. */
  readonly times: number
}

if (import.meta.main) {
  const results = await measurePages()
  console.table(results)
  const broken = results.filter(({ pageOctets, times }) => pageOctets > mostOctets || times > mostTimes)
  if (broken.length > 0) {
    console.error(`Past ${mostOctets} octets or ${mostTimes} times the JSON.`)
    process.exitCode = 1
  }
}

export async function measurePages(): Promise<readonly PageCost[]> {
  const model = checkDefinition(shop)
  const schema = schemaOf(model)
  const store = await openSqliteStore({ temporary: true, schema, observe: () => {} })
  const service = await createService({
    model,
    store,
    observe: () => {},
    rate: 'off',
    overload: 'off',
  })
  await fill(store)
  const results: PageCost[] = []
  for (const collection of ['products', 'articles', 'users']) {
    results.push(await measure(service, collection))
  }
  await service.close()
  return results
}

async function fill(store: Store): Promise<void> {
  const insert = (table: string, values: readonly (string | number | null)[]) =>
    store.write([{ kind: 'insert', table, values, conditionAfter: always }])
  for (let n = 0; n < rows; n += 1) {
    const end = n.toString(16).padStart(12, '0')
    const [user, other] = [`01900000-0000-7000-8000-${end}`, `01900000-0000-7000-9000-${end}`]
    await insert('users', [user, 1, time, time, `u${n}@example.org`, `Person ${n}`, 'x', 'member', 0])
    const article = [`slug-${n}`, `Title number ${n}`, 'Words. '.repeat(50), '["x","y"]', user]
    await insert('articles', [other, 1, time, time, ...article, 'published'])
    await insert('products', [other, 1, time, time, `TEA-${n}`, `Tea number ${n}`, 450 + n, n])
  }
}

interface Asked {
  readonly collection: string
  readonly format: 'html' | 'json'
  readonly run: number
}

/** The median of several runs, with alternating formats. */
async function measure(service: RunningService, collection: string): Promise<PageCost> {
  const pages: Cost[] = []
  const jsons: Cost[] = []
  for (let run = 0; run < runs; run += 1) {
    pages.push(await costOf(service, { collection, format: 'html', run }))
    jsons.push(await costOf(service, { collection, format: 'json', run }))
  }
  const [page, json] = [medianCost(pages), medianCost(jsons)]
  return {
    collection,
    pageOctets: page.octets,
    jsonOctets: json.octets,
    pageMicroseconds: Math.round(page.microseconds),
    jsonMicroseconds: Math.round(json.microseconds),
    times: Number((page.microseconds / json.microseconds).toFixed(2)),
  }
}

interface Cost {
  readonly octets: number
  readonly microseconds: number
}

function medianCost(costs: readonly Cost[]): Cost {
  const microseconds = median(costs.map((cost) => cost.microseconds))
  return { octets: costs[0]?.octets ?? Number.NaN, microseconds }
}

/** In processor time, so that other load does not count. */
async function costOf({ handle }: RunningService, asked: Asked): Promise<Cost> {
  let octets = 0
  const began = process.cpuUsage()
  for (let n = 0; n < rounds; n += 1) {
    const target = targetOf(asked, asked.run * rounds + n)
    const { status, body } = await handle(requestOf(target))
    if (status !== 200) throw new Error(`${target} answered ${status}`)
    octets = Buffer.byteLength(body as string)
  }
  const { user, system } = process.cpuUsage(began)
  return { octets, microseconds: (user + system) / rounds }
}

/** The same rows under another URI each time, because the service caches responses by URI. */
function targetOf({ collection, format }: Asked, n: number): string {
  const limit = `limit=${rows + (n % (1000 - rows))}`
  const name = `format=${format}`
  const isEarly = n < (runs * rounds) / 2
  return `/${collection}?${isEarly ? `${limit}&${name}` : `${name}&${limit}`}`
}

function requestOf(target: string): HttpRequest {
  const content = {
    present: false,
    length: undefined,
    read: async () => new Uint8Array(),
    stream: async function* () {},
  }
  const fields = Object.assign(Object.create(null), { host: 'localhost' })
  const peer = { address: '127.0.0.1', secure: false }
  return { id: crypto.randomUUID(), method: 'GET', target, fields, content, client: peer }
}
