/**
 * Prunes a log of 1,000,000 entries, and compares the time of its steps with that of a write of 100 rows.
 * `node --conditions=source bench/pruning.ts [entries]`
 */

import { randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import shop from '../examples/shop.ts'
import { checkDefinition } from '../src/service/check-definition.ts'
import { maxPrunedEntries } from '../src/service/log-pruning.ts'
import { always } from '../src/store/condition.ts'
import { openStore } from '../src/store/open-store.ts'
import { schemaOf } from '../src/store/schema/model-schema.ts'
import type { Write } from '../src/store/write.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const rows = 100
const [past, present] = ['2020-01-01T00:00:00.000Z', new Date().toISOString()]
const everything = { before: present, after: '9999-12-31T00:00:00.000Z' }

const folder = mkdtempSync(join(tmpdir(), 'restwell-pruning-'))
const schema = schemaOf(checkDefinition(shop))
const store = await openStore(`file:${join(folder, 'log.db')}`, schema, () => undefined)
for (let done = 0; done < count; done += 1000) await store.write(insertions(1000, past))
const writes: number[] = []
const steps: number[] = []
for (let pruned = 0; pruned < count; ) {
  steps.push(await timeOf(async () => (pruned += await store.pruneLog(everything, maxPrunedEntries))))
  // A write now and then, so that both are measured on the same file.
  if (steps.length % 20 === 0) writes.push(await timeOf(() => store.write(insertions(rows, present))))
  if (steps.length % 100 === 0) await pause(1)
}
for (const [name, times] of Object.entries({
  [`${steps.length} steps of ${maxPrunedEntries} entries`]: steps,
  [`${writes.length} writes of ${rows} rows`]: writes,
})) {
  const sorted = times.toSorted((a, b) => a - b)
  const part = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2)
  process.stdout.write(`${name}: median ${part(0.5)} ms, p90 ${part(0.9)} ms, p99 ${part(0.99)} ms\n`)
}
await store.close()
rmSync(folder, { recursive: true })

function insertions(number: number, at: string): readonly Write[] {
  return Array.from({ length: number }, () => {
    const sku = randomUUIDv7().toUpperCase()
    const values = [sku, 1, at, at, sku, 'A product of the demo', 450n, 3]
    return { kind: 'insert', table: 'products', values, conditionAfter: always }
  })
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
