/** New folders survive a power cut: the folder above each of them is synced (POSIX.1-2024, fsync; strace shows the calls). */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { commandEnvironment, folderOf, root } from '../commands/command.ts'
import { asPng, gallery, newPicture, png } from '../features/files/gallery.ts'
import { serve } from '../service.ts'

test('backup and restore sync the folder above each folder that they create, after they created it', async (t) => {
  const folder = await folderOf(t)
  const [database, files] = [`file:${join(folder, 'a.db')}`, `file:${join(folder, 'files')}`]
  {
    await using s = await serve(gallery, { database, files })
    assert.equal((await s.request(`PUT ${await newPicture(s.request)}/image`, asPng, png)).status, 201)
  }
  const backups = join(folder, 'new', 'backups')
  const service = join(root, 'test/features/files/gallery.ts')
  const taken = await callsOf(
    t,
    ['backup', '--to', backups, '--service', service, '--database', database],
    files,
  )
  if (!taken) return
  assertSynced(taken, backups)
  const target = join(folder, 'other', 'data', 'a.db')
  const other = join(folder, 'other', 'files')
  const restored = await callsOf(t, ['restore', backups, '--database', `file:${target}`], `file:${other}`)
  assert.ok(restored)
  assertSynced(restored, dirname(target))
  assertSynced(restored, other)
})

/** The folders that the command created and synced, in order. Undefined, with the test skipped aloud, without strace. */
async function callsOf(t: TestContext, args: readonly string[], files: string) {
  const output = join(await folderOf(t), 'calls')
  const calls = ['-f', '-y', '-s', '4096', '-o', output, '-e', 'trace=mkdir,mkdirat,fsync']
  const command = [process.execPath, '--conditions=source', join(root, 'src/cli.ts'), ...args]
  const child = spawn('strace', [...calls, ...command], {
    cwd: root,
    env: { ...commandEnvironment(), FILES_URL: files },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const isAbsent = once(child, 'error').then(() => undefined)
  const ended = Promise.all([text(child.stderr), once(child, 'exit')])
  const outcome = await Promise.race([isAbsent, ended])
  if (outcome === undefined || /ptrace/i.test(outcome[0])) {
    t.skip(
      'strace is not installed, or may not trace: apt-get install strace, in a container with --privileged.',
    )
    return undefined
  }
  const [stderr, [code]] = outcome
  assert.equal(code, 0, stderr)
  return (await readFile(output, 'utf8')).split('\n').flatMap((line) => {
    const [, made] = /mkdir(?:at\(AT_FDCWD[^,]*, |\()"([^"]*)".* = 0$/.exec(line) ?? []
    const [, synced] = /fsync\(\d+<([^>]*)>/.exec(line) ?? []
    return made === undefined && synced === undefined ? [] : [{ made, synced }]
  })
}

function assertSynced(calls: NonNullable<Awaited<ReturnType<typeof callsOf>>>, created: string): void {
  const made = calls.flatMap((call, at) => (call.made === undefined ? [] : [{ path: call.made, at }]))
  assert.ok(
    made.some(({ path }) => path === created),
    `${created} is created`,
  )
  for (const { path, at } of made) {
    const isSynced = calls.slice(at).some(({ synced }) => synced === dirname(path))
    // Temporary folders need not survive.
    assert.ok(isSynced || /restwell-[A-Za-z0-9]{6}$/.test(path), `the folder above ${path} is synced`)
  }
}
