/**
 * Compares a 304 on the demo's /products with many items and with few.
 * `node --conditions=source bench/not-modified.ts [items]`
 */

import shop from '../examples/shop.ts'
import type { HttpRequest } from '../src/http/message.ts'
import { checkDefinition } from '../src/service/check-definition.ts'
import { createService, type RunningService } from '../src/service/service.ts'
import { always } from '../src/store/condition.ts'
import { schemaOf } from '../src/store/schema/model-schema.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite.ts'

const few = 10
const many = Number(process.argv[2] ?? 100_000)
const rounds = 20
const requests = 2000
const time = '2026-01-01T00:00:00.000Z'

async function fill(items: number): Promise<RunningService> {
  const model = checkDefinition(shop)
  const notice = () => {}
  const store = await openSqliteStore({ temporary: true, schema: schemaOf(model), observe: notice })
  for (let made = 0; made < items; made += 5000) {
    const writes = Array.from({ length: Math.min(5000, items - made) }, (_, n) => {
      const number = String(made + n).padStart(12, '0')
      const identity = `01900000-0000-7000-8000-${number}`
      const values = [identity, 1, time, time, `P${number}`, `Product ${number}`, 100n, 1]
      return { kind: 'insert', table: 'products', values, conditionAfter: always } as const
    })
    await store.write(writes)
  }
  return createService({ model, store, observe: notice, rate: 'off', overload: 'off' })
}

function get(fields: Record<string, string>): HttpRequest {
  return {
    id: '01900000-0000-7000-8000-000000000000',
    method: 'GET',
    target: '/products',
    fields,
    content: { present: false, length: 0, read: async () => new Uint8Array(), stream: async function* () {} },
    client: { address: '127.0.0.1', secure: false },
  }
}

/** Returns the microseconds of one 304. */
async function measure({ handle }: RunningService, request: HttpRequest): Promise<number> {
  const began = performance.now()
  for (let n = 0; n < requests; n += 1) {
    const { status } = await handle(request)
    if (status !== 304) throw new Error(`Expected 304 and got ${status}`)
  }
  return ((performance.now() - began) / requests) * 1000
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

const services = await Promise.all([fill(few), fill(many)])
const asked = await Promise.all(
  services.map(async ({ handle }) => {
    const { fields } = await handle(get({}))
    return get({ 'if-none-match': String(fields.ETag) })
  }),
)
const costs: [number[], number[]] = [[], []]
// Alternately, so that other load affects both.
for (let round = 0; round < rounds; round += 1) {
  for (const at of [0, 1] as const) costs[at].push(await measure(services[at]!, asked[at]!))
}
const [small, large] = costs.map(median) as [number, number]
console.log(`304 on /products: ${few} items ${small.toFixed(1)} µs, ${many} items ${large.toFixed(1)} µs`)
console.log(`ratio ${(large / small).toFixed(2)} (at most 1.2)`)
await Promise.all(services.map((service) => service.close()))
