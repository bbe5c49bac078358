/** An import that is killed again and again ends with exactly the rows of its file. `bench/import.ts` shows its memory. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { always } from '../../src/store/condition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { isFull } from '../cases.ts'
import { freshDatabase, onPostgres } from '../database.ts'
import { eventually } from '../eventually.ts'
import { restwellProgram } from '../restwell.ts'
import { folderOf, outcomeOf, root } from './command.ts'
import tracker from './fixtures/tracker.ts'

const rows = isFull ? 1_000_000 : 20_000
const kills = isFull ? 20 : 3

const definition = join(root, 'test/commands/fixtures/tracker.ts')

test(`${rows} rows, killed ${kills} times, are imported once each`, async (t) => {
  const folder = await folderOf(t)
  const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'test.db')}`
  const file = join(folder, 'labels.csv')
  await writeRows(file)
  const flags = ['--service', definition, '--database', database]
  // Creates the tables, so that rows can be counted.
  assert.equal((await outcomeOf(['export', 'labels', join(folder, 'empty.csv'), ...flags])).code, 0)
  const args = ['import', 'labels', file, ...flags]
  for (let killed = 0; killed < kills; killed += 1) {
    // In the first half of the rows, so that the import does not end before the kill.
    await killAfter(args, () => countRows(database), Math.floor((rows * killed) / kills / 2))
  }
  const outcome = await outcomeOf(args)
  assert.equal(outcome.code, 0, outcome.stderr)
  assert.match(outcome.stdout, /^Skipped \d+ rows/)
  // The names are unique, so the count proves that each of them is there.
  assert.equal(await countRows(database), rows)
})

/** Starts the command, and kills it once there are more rows than so many. */
async function killAfter(args: readonly string[], count: () => Promise<number>, reached: number) {
  const child = spawn(process.execPath, [...restwellProgram, ...args], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await eventually(async () => {
    assert.equal(child.exitCode, null, 'the import was still running')
    return (await count()) > reached
  })
  child.kill('SIGKILL')
  await exited
}

/** While an import runs: another process may read the file. */
async function countRows(database: string): Promise<number> {
  if (onPostgres) {
    const store = await openStore(database, schemaOf(checkDefinition(tracker)), () => undefined)
    const count = await store.count('labels', always)
    await store.close()
    return count
  }
  const connection = new DatabaseSync(database.slice('file:'.length), { readOnly: true, timeout: 2000 })
  try {
    return Number(connection.prepare('select count(*) as n from labels').get()?.n)
  } finally {
    connection.close()
  }
}

async function writeRows(file: string): Promise<void> {
  const handle = await open(file, 'w')
  await handle.write('name\n')
  for (let from = 0; from < rows; from += 10_000) {
    const names = Array.from({ length: Math.min(10_000, rows - from) }, (_, at) => `label ${from + at}\n`)
    await handle.write(names.join(''))
  }
  await handle.close()
}
