/**
 * Compares `restwell import` with a bare loop of inserts, one transaction per 1,000 rows, and shows its memory.
 * `node --conditions=source bench/import.ts [rows]`
 */

import { spawn } from 'node:child_process'
import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { note } from './note.ts'
import { allocatedMemoryOf, processorTimeOf } from './process-tree.ts'

const rows = Number(process.argv[2] ?? 1_000_000)
const perTransaction = 1000
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'restwell-import-'))
const file = join(folder, 'notes.ndjson')
await writeRows()
await importRows()
const began = performance.now()
const before = process.cpuUsage()
insertRows()
const { user, system } = process.cpuUsage(before)
report('bare loop of inserts', began, user + system)
rmSync(folder, { recursive: true })

async function writeRows(): Promise<void> {
  const handle = await open(file, 'w')
  for (let from = 0; from < rows; from += 10_000) {
    const count = Math.min(10_000, rows - from)
    const lines = Array.from({ length: count }, (_, at) => JSON.stringify({ ...note, stars: from + at }))
    await handle.write(`${lines.join('\n')}\n`)
  }
  await handle.close()
}

/** Prints the rate, the processor time, and the memory in each quarter of the time. */
async function importRows(): Promise<void> {
  const database = `file:${join(folder, 'import.db')}`
  const args = ['import', 'notes', file, '--service', join(root, 'bench/notes.ts'), '--database', database]
  const began = performance.now()
  const child = spawn(process.execPath, ['--conditions=source', join(root, 'src/cli.ts'), ...args], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  const memory: number[] = []
  let processor = 0
  while (child.exitCode === null && child.pid !== undefined) {
    memory.push(allocatedMemoryOf(child.pid))
    const used = processorTimeOf(child.pid)
    // Not a number once the process has ended.
    if (used > processor) processor = used
    await Promise.race([exited, pause(50)])
  }
  if (child.exitCode !== 0) throw new Error(`The import ended with ${child.exitCode}`)
  report('restwell import', began, processor)
  const quarters = [0, 1, 2, 3].map((quarter) => {
    const part = memory.slice((memory.length * quarter) / 4, (memory.length * (quarter + 1)) / 4)
    return Math.max(...part.filter((value) => value > 0)).toFixed(0)
  })
  process.stdout.write(`  memory at most, by quarter of the time: ${quarters.join(', ')} MiB\n`)
}

/** The same values and index, and durable transactions; no checks, no change log. */
function insertRows(): void {
  const database = new DatabaseSync(join(folder, 'bare.db'))
  database.exec('pragma journal_mode=wal; pragma synchronous=full')
  database.exec(
    'create table notes (id text primary key, version integer, createdAt text, updatedAt text, title text, body text, tags text, stars integer) strict, without rowid',
  )
  database.exec('create index notes_stars on notes (stars)')
  const statement = database.prepare('insert into notes values (?, 1, ?, ?, ?, ?, ?, ?)')
  const { title, body, tags } = note
  for (let from = 0; from < rows; from += perTransaction) {
    database.exec('begin immediate')
    for (let n = from; n < Math.min(rows, from + perTransaction); n += 1) {
      const now = new Date().toISOString()
      statement.run(randomUUIDv7(), now, now, title, body, JSON.stringify(tags), n)
    }
    database.exec('commit')
  }
  database.close()
}

function report(name: string, began: number, processor: number): void {
  const seconds = (performance.now() - began) / 1000
  const each = `${(processor / rows).toFixed(1)} µs of processor time each`
  process.stdout.write(
    `${name}: ${(rows / seconds).toFixed(0)} rows a second (${seconds.toFixed(1)} s), ${each}\n`,
  )
}
