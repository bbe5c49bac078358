/** The database file itself is locked: no second service opens it under any name. */

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { link, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderOf } from '../commands/command.ts'
import { createNote, refusedNotes, startNotes, titlesOf } from './notes-node.ts'

test('a service under a hard link of a served file is refused, and creates nothing', async (t) => {
  const folder = await folderOf(t)
  const [file, other] = [join(folder, 'a.db'), join(folder, 'b.db')]
  await startNotes(t, file)
  await link(file, other)
  const { code, stderr } = await refusedNotes(other)
  assert.equal(code, 1)
  assert.match(stderr, /b\.db has 2 names \(hard links\).*Remove the other names/)
  for (const end of ['-lock', '-wal', '-shm']) assert.ok(!existsSync(other + end), end)
})

test('a file with two names is refused even when no service has it', async (t) => {
  const folder = await folderOf(t)
  const [file, other] = [join(folder, 'a.db'), join(folder, 'b.db')]
  await (await startNotes(t, file)).stop()
  await link(file, other)
  for (const name of [file, other]) {
    assert.match((await refusedNotes(name)).stderr, /has 2 names/)
  }
  await rm(other)
  const node = await startNotes(t, file)
  assert.equal(await createNote(node.request, 'one name again'), 201)
})

test('a service is refused after `-lock` was removed from beside a served file, each time', async (t) => {
  const file = join(await folderOf(t), 'a.db')
  const node = await startNotes(t, file)
  assert.equal(await createNote(node.request, 'first'), 201)
  await rm(`${file}-lock`)
  for (const attempt of [1, 2]) {
    const { code, stderr } = await refusedNotes(file)
    assert.equal(code, 1, `attempt ${attempt}`)
    assert.match(stderr, /in use by another process\. Stop that one first/)
  }
  assert.equal(await createNote(node.request, 'second'), 201)
  assert.deepEqual(await titlesOf(node.request), ['first', 'second'])
})

test('a service is refused through a symbolic link of a served file, and of its folder', async (t) => {
  const folder = await folderOf(t)
  const [data, alias] = [join(folder, 'data'), join(folder, 'alias')]
  await mkdir(data)
  await symlink(data, alias)
  await symlink(join(data, 'a.db'), join(folder, 'b.db'))
  await startNotes(t, join(data, 'a.db'))
  for (const name of [join(alias, 'a.db'), join(folder, 'b.db')]) {
    assert.match((await refusedNotes(name)).stderr, /in use by another process/)
  }
})

test('a service is refused through a bind mount of a served file, each time', async (t) => {
  const folder = await folderOf(t)
  const [file, mount] = [join(folder, 'a.db'), join(folder, 'elsewhere', 'a.db')]
  await startNotes(t, file)
  await mkdir(join(folder, 'elsewhere'))
  await writeFile(mount, '')
  if (spawnSync('mount', ['--bind', file, mount]).status !== 0) {
    return t.skip('Mounting is not permitted: run as root, in a container with --privileged.')
  }
  try {
    for (const attempt of [1, 2]) {
      const { stderr } = await refusedNotes(mount)
      assert.match(stderr, /in use by another process/, `attempt ${attempt}`)
    }
  } finally {
    spawnSync('umount', [mount])
  }
})

test('after kill -9 the next start has the file, with and without workers', async (t) => {
  const file = join(await folderOf(t), 'a.db')
  const titles: string[] = []
  for (const workers of [1, 2, 1]) {
    const node = await startNotes(t, file, { workers })
    const title = `note ${titles.length}`
    assert.equal(await createNote(node.request, title), 201)
    titles.push(title)
    assert.deepEqual(await titlesOf(node.request), titles)
    node.process.kill('SIGKILL')
    await once(node.process, 'exit')
  }
})

test('a program that reads the file, such as a backup, does not prevent a start', async (t) => {
  const file = join(await folderOf(t), 'a.db')
  await (await startNotes(t, file)).stop()
  const reading = `const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(${JSON.stringify(file)}, { readOnly: true })
    database.exec('begin; select * from "_meta"')
    console.log('reads')
    process.stdin.resume()`
  const reader = spawn(process.execPath, ['-e', reading], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => reader.kill('SIGKILL'))
  await once(reader.stdout, 'data')
  const node = await startNotes(t, file)
  assert.equal(await createNote(node.request, 'beside a reader'), 201)
})
