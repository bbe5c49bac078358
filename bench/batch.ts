/**
 * Compares 1,000 creations in batches of 100 with one client that sends them singly, one after the other.
 * `node --conditions=source bench/batch.ts [rounds]`
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openService } from '../src/index.ts'
import { note } from './note.ts'
import notes from './notes.ts'
import { median } from './rounds.ts'

const rounds = Number(process.argv[2] ?? 5)
const creations = 1000
const batchSize = 100
const folder = mkdtempSync(join(tmpdir(), 'restwell-batch-'))
const service = await openService(notes, { database: `file:${join(folder, 'notes.db')}`, rate: 'off' })
const times = { single: [] as number[], batch: [] as number[] }
const entry = { method: 'POST', path: '/notes', body: note }
const requests = Array.from({ length: batchSize }, () => entry)

// Alternately, so that other load affects both.
for (let round = 0; round <= rounds; round += 1) {
  const began = performance.now()
  for (let n = 0; n < creations; n += 1) await post('/notes', note, 201)
  const between = performance.now()
  for (let n = 0; n < creations; n += batchSize) await post('/batch', { requests }, 200)
  // The first round warms up.
  if (round === 0) continue
  times.single.push(between - began)
  times.batch.push(performance.now() - between)
}
await service.close()
rmSync(folder, { recursive: true })
const [single, batch] = [median(times.single), median(times.batch)]
process.stdout.write(
  `${creations} creations, median of ${rounds}: ${single.toFixed(0)} ms singly, ${batch.toFixed(0)} ms in batches of ` +
    `${batchSize}; batches are ${(single / batch).toFixed(1)} times as fast.\n`,
)

async function post(path: string, body: unknown, status: number): Promise<void> {
  const response = await service.handle(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
  const text = await response.text()
  if (response.status !== status) throw new Error(`${response.status} ${text}`)
}
