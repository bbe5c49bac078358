/** `restore --force` that is killed at each of its changes of files leaves the old database or the new one. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { folderOf, outcomeOf, root } from '../commands/command.ts'
import { createNote, startNotes } from '../faults/notes-node.ts'

const preload = join(root, 'test/backup/fixtures/kill-at.ts')

test('a restore that is killed at any change of files leaves the old state, with its log, or the new one', async (t) => {
  const folder = await folderOf(t)
  const [file, backups] = [join(folder, 'a.db'), join(folder, 'backups')]
  const first = await startNotes(t, file)
  assert.equal(await createNote(first.request, 'backed up'), 201)
  const definition = join(root, 'test/faults/fixtures/notes.ts')
  const taken = await outcomeOf([
    'backup',
    '--to',
    backups,
    '--service',
    definition,
    '--database',
    `file:${file}`,
  ])
  assert.equal(taken.code, 0, taken.stderr)
  assert.equal(await createNote(first.request, 'in the file'), 201)
  assert.equal(await first.stop(), 0)
  const node = await startNotes(t, file)
  assert.equal(await createNote(node.request, 'only in the log'), 201)
  node.process.kill('SIGKILL')
  await once(node.process, 'exit')
  assert.ok(existsSync(`${file}-wal`))
  const [before, after] = [['backed up', 'in the file', 'only in the log'], ['backed up']]
  let kills = 0
  for (let at = 1; ; at += 1) {
    const target = join(folder, `${at}.db`)
    for (const suffix of ['', '-wal', '-shm']) cpSync(file + suffix, target + suffix)
    const environment = { NODE_OPTIONS: `--import=${preload}`, KILL_AT: String(at) }
    const { code, stderr } = await outcomeOf(
      ['restore', backups, '--force', '--database', `file:${target}`],
      {
        environment,
      },
    )
    const titles = titlesIn(target)
    if (code === 0) {
      assert.deepEqual(titles, after)
      break
    }
    assert.equal(code, null, stderr)
    kills += 1
    assert.ok(
      [before, after].some((state) => isEqual(state, titles)),
      `killed at ${at}: ${titles}`,
    )
  }
  assert.ok(kills >= 5, `${kills} kills`)
})

function titlesIn(file: string): readonly string[] {
  const database = new DatabaseSync(file)
  try {
    return database
      .prepare('select title from notes order by title')
      .all()
      .map(({ title }) => String(title))
  } finally {
    database.close()
  }
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
