/** A backup or restore on a full disk names the place and what to do, and leaves what was there. */

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderOf, outcomeOf, root } from '../commands/command.ts'
import { onSmallDisk } from '../commands/small-disk.ts'
import { createNote, startNotes } from '../faults/notes-node.ts'

const definition = join(root, 'test/faults/fixtures/notes.ts')

test('backup on a full disk names the folder and the remedy; the next one is complete', (t) =>
  onSmallDisk(t, '4m', async (disk) => {
    const database = `file:${join(await folderOf(t), 'a.db')}`
    const node = await startNotes(t, database.slice('file:'.length))
    for (let count = 0; count < 20; count += 1) {
      // Random, so that it cannot be compressed.
      const body = Array.from({ length: 400 }, () => Math.random().toString(36)).join('')
      assert.equal(await createNote(node.request, `note ${count}`, body), 201)
    }
    const backups = join(disk, 'backups')
    const backUp = () =>
      outcomeOf(['backup', '--to', backups, '--service', definition, '--database', database])
    for (const room of [0, 8192, 65_536]) {
      const ballast = join(disk, 'ballast')
      await writeFile(ballast, Buffer.alloc((await roomIn(disk)) - room))
      const { code, stdout, stderr } = await backUp()
      assert.equal(code, 1, stdout)
      assert.equal(
        stderr,
        `The disk of the backups in ${backups} is full. Make room there, or name another folder with --to.\n`,
      )
      await rm(ballast)
      assert.deepEqual(partialIn(backups), [])
    }
    const taken = await backUp()
    assert.equal(taken.code, 0, taken.stderr)
    assert.equal((await outcomeOf(['backup', 'verify', backups])).code, 0)
    assert.equal(await node.stop(), 0)
  }))

async function roomIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Files that are not complete would need the room. */
function partialIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.partial'))
}
