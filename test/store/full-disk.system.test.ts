/** A disk that is really full: a small tmpfs, for the soak, where the system lets us mount one. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import type { Observation, Observer } from '../../src/observation.ts'
import { always } from '../../src/store/condition.ts'
import { type Store, StoreOpenError, StoreUnavailable } from '../../src/store/store.ts'
import { eventually } from '../eventually.ts'
import { withFile } from './folder.ts'
import { insert } from './library.ts'
import { row, schema, table, text } from './tables.ts'

const MEBIBYTE = 1024 * 1024
const things = schema(table('things', [text('name')]))

it('a full disk: reads go on, acknowledged is stored, writes heal', (test) =>
  withSmallDisk(test, 4 * MEBIBYTE, async (folder) => {
    const filler = join(folder, 'filler')
    writeFileSync(filler, Buffer.alloc(MEBIBYTE))
    const told: Observation[] = []
    const notice: Observer = (observation) => told.push(observation)
    await withFile(
      join(folder, 'a.db'),
      things,
      async (store) => {
        const { acknowledged, refused } = await fill(store)
        assert.ok(acknowledged > 100)
        assert.ok(refused.every((error) => error instanceof StoreUnavailable && error.reason === 'full'))
        assert.equal(await store.count('things', always), acknowledged)

        // For the log to be folded into the file there is no room either, which is told.
        told.length = 0
        await eventually(() => told.length > 0)
        assert.ok(told.every((one) => one.kind === 'store-unavailable' && one.reason === 'full'))
        assert.equal(await store.count('things', always), acknowledged)

        rmSync(filler)
        await store.check()
        assert.deepEqual(await store.write([insert('things', row('healed', 'x'))]), {
          kind: 'done',
        })
        assert.equal(await store.count('things', always), acknowledged + 1)
      },
      notice,
    )
  }))

it('a start on a full disk is refused with a clear line', (test) =>
  withSmallDisk(test, MEBIBYTE, async (folder) => {
    const overfull = () => writeFileSync(join(folder, 'filler'), Buffer.alloc(2 * MEBIBYTE))
    assert.throws(overfull, { code: 'ENOSPC' })
    const opening = withFile(join(folder, 'a.db'), things, async () => undefined)
    await assert.rejects(opening, (fault) => fault instanceof StoreOpenError && /disk/.test(fault.message))
  }))

/** Writes until 200 writes were refused. */
async function fill(store: Store): Promise<{ acknowledged: number; refused: unknown[] }> {
  const refused: unknown[] = []
  let acknowledged = 0
  for (let n = 0; refused.length < 200; n += 20) {
    const names = Array.from({ length: 20 }, (_, at) => `${n + at}`)
    const writes = names.map((name) => store.write([insert('things', row(name, 'x'.repeat(2000)))]))
    for (const settled of await Promise.allSettled(writes)) {
      if (settled.status === 'rejected') refused.push(settled.reason)
      else acknowledged += 1
    }
  }
  return { acknowledged, refused }
}

/** Works in a folder on a disk of that size; skipped aloud where none can be mounted. */
async function withSmallDisk(
  test: TestContext,
  octets: number,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  if (process.env.CASES !== 'full') return test.skip('It runs with CASES=full: npm run soak.')
  const folder = mkdtempSync(join(tmpdir(), 'restwell-test-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${octets}`, 'tmpfs', folder])
  } catch {
    rmSync(folder, { recursive: true })
    return test.skip('Mounting is not permitted: run as root, in a container with --privileged.')
  }
  try {
    await work(folder)
  } finally {
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true })
  }
}
