/** A copy that is cut off anywhere goes on when it is run again, and ends as if it had not been. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Stored } from '../../src/definition/model.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { always } from '../../src/store/condition.ts'
import { copyDatabase } from '../../src/store/copy/copy-database.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { placesFrom } from '../cases.ts'
import { outcomeOf, root } from '../commands/command.ts'
import { type FaultProxy, faultProxy } from '../fault-proxy.ts'
import { postgres } from '../postgres.ts'
import { restwellProgram } from '../restwell.ts'
import { folderFor } from '../store/folder.ts'
import { filled, rowsIn, withStore } from '../store/migration-contract.ts'
import { decimal, ref, row, schema, table, text } from '../store/tables.ts'

const wanted = schema(
  table('things', [text('a'), decimal('d'), ref('next', 'things')], { search: ['a'] }),
  table('parts', [ref('of', 'things')]),
)

/** More than one batch of them, each but the last with a reference to one that comes later. */
const things = Array.from({ length: 250 }, (_, n): Stored[] =>
  row(nameOf(n), `word${n}`, BigInt(n), n < 249 ? nameOf(n + 1) : null),
)

function nameOf(n: number): string {
  return `t${String(n).padStart(3, '0')}`
}

async function filledFile(folder: string): Promise<string> {
  const from = `file:${join(folder, 'from.db')}`
  await filled(from, wanted, 'things', things.toReversed())
  await filled(from, wanted, 'parts', [row('p1', 't000')])
  return from
}

const quiet = { schema: wanted, report: () => undefined }

async function assertWhole(url: string): Promise<void> {
  await withStore(url, wanted, async (store) => {
    assert.deepEqual(
      await rowsIn(store, 'things'),
      things.map((one) => one.map((value) => (typeof value === 'bigint' ? `${value}` : value))),
    )
    assert.equal((await store.readChanges(0, 1000)).length, 251)
  })
}

test('into PostgreSQL: cut off at any of its statements', async (t) => {
  const from = await filledFile(folderFor(t))
  const cluster = await postgres()
  for (const fate of ['lose', 'lose-response'] as const) {
    const to = cluster.freshUrl()
    await using proxy = await faultProxy(cluster.port)
    const proxied = to.replace(`:${cluster.port}/`, `:${proxy.port}/`)
    let cuts = 0
    let begun = false
    for (const fatal of placesFrom(8)) {
      let count = 0
      proxy.fateOf = () => (++count === fatal ? fate : 'pass')
      const run = copyDatabase({ ...quiet, from, to: proxied })
      const outcome = await run.then(
        (copied) => copied,
        (error) => error,
      )
      if (!(outcome instanceof Error)) break
      assert.match(outcome.message, /cannot be used/)
      cuts += 1
      const opened = await openStore(to, wanted, () => undefined).catch((error) => error.message)
      // The answer to the last COMMIT was lost: then it is whole.
      if (typeof opened !== 'string') await opened.close()
      else if (!/an unfinished copy|already holds/.test(opened)) {
        assert.match(opened, /does not fit the definition/)
        assert.ok(!begun, 'once rows are copied it says so')
      } else begun = true
    }
    t.diagnostic(`${fate}: ${cuts} cuts`)
    assert.ok(cuts > 5, 'it was cut at many statements')
    assert.ok(begun, 'it was cut while rows were copied')
    await assertWhole(to)
  }
})

test('into SQLite: cut off at any of its statements', async (t) => {
  const folder = folderFor(t)
  const from = await filledFile(folder)
  const to = `file:${join(folder, 'to.db')}`
  const { exec } = DatabaseSync.prototype
  let cuts = 0
  for (let fatal = 1; ; fatal += 1) {
    let count = 0
    DatabaseSync.prototype.exec = function (sql) {
      if (sql !== 'rollback' && ++count === fatal) throw new Error('The process dies here')
      return exec.call(this, sql)
    }
    const outcome = await copyDatabase({ ...quiet, from, to }).catch((error) => error)
    DatabaseSync.prototype.exec = exec
    if (!(outcome instanceof Error)) break
    assert.match(outcome.message, /The process dies here/)
    cuts += 1
  }
  t.diagnostic(`${cuts} cuts`)
  assert.ok(cuts > 10, 'it was cut at many statements')
  await assertWhole(to)
})

test('the command is killed in the middle of anything, and run again', async (t) => {
  const definition = join(root, 'test/reliability/fixtures/notes.ts')
  const notes = schemaOf(checkDefinition((await import(definition)).default))
  const from = `file:${join(folderFor(t), 'from.db')}`
  const rows = Array.from({ length: 3000 }, (_, n) => row(nameOf(n), 'x'.repeat(1000)))
  await filled(from, notes, 'notes', rows)
  const cluster = await postgres()
  const to = cluster.freshUrl()
  const command = (url: string) => ['copy', from, url, '--service', definition]
  // In the middle of planning, and when rows are being copied.
  for (const [word, chunks] of [
    ['', 10],
    // The record of the progress as a parameter: its length, then its name.
    ['\u0000\u0000\u0000\u0004copy', 20],
  ] as const) {
    await using proxy = await faultProxy(cluster.port)
    await killedAt(proxy, { word, chunks }, command(to.replace(`:${cluster.port}/`, `:${proxy.port}/`)))
  }
  const refused = await outcomeOf(['migrate', definition, '--apply', '--database', to])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /an unfinished copy/)
  const resumed = await outcomeOf(command(to))
  assert.equal(resumed.code, 0, resumed.stderr)
  assert.match(resumed.stdout, /compared notes: 3000 rows, sha256 [0-9a-f]{64}\n/)
  const shown = to.replace(':restwell@', '@')
  assert.ok(
    resumed.stdout.endsWith(`Copied 6000 rows. Serve the copy with --database '${shown}'\n`),
    'the target is shown with its user and schema',
  )
  assert.ok(!resumed.stdout.includes('restwell:restwell'), 'no password is shown')
  const again = await outcomeOf(command(to))
  assert.equal(again.code, 0)
  assert.match(again.stdout, /^This copy was completed on .*\. Nothing to do\.\n$/)
  assert.equal(await withStore(to, notes, async (store) => store.count('notes', always)), 3000)
})

/** The line falls silent so many chunks from the word on; then the process is killed as it waits. */
async function killedAt(
  proxy: FaultProxy,
  { word, chunks }: { readonly word: string; readonly chunks: number },
  command: readonly string[],
) {
  const args = [...restwellProgram, ...command]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const exited = once(child, 'exit')
  const { promise: silent, resolve } = Promise.withResolvers<void>()
  let count = 0
  proxy.fateOf = (chunk) => {
    if (count > 0 || chunk.includes(word)) count += 1
    if (count === chunks) {
      proxy.silent = true
      resolve()
    }
    return 'pass'
  }
  await silent
  child.kill('SIGKILL')
  assert.deepEqual(await exited, [null, 'SIGKILL'])
}
