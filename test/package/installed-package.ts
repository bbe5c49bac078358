/** The package as a user installs it: packed, installed into a folder, run by its command. */

import assert from 'node:assert/strict'
import { execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { root } from '../commands/command.ts'

export const database = 'file:data/notes.db'

/** Node 26 first, as a user of the package has it. */
export const environment = {
  ...process.env,
  PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
}
export const run = promisify(execFile)

/** Packs a copy of the repository, because other tests use the bundles in its `dist/`. Returns the path of the tarball. */
export async function packInto(folder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'restwell-source-'))
  try {
    const left = ['.git', 'dist', 'node_modules'].map((name) => join(root, name))
    await cp(root, copy, { recursive: true, filter: (path) => !left.includes(path) })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    await run('npm', ['pack', '--pack-destination', folder], { cwd: copy, env: environment })
  } finally {
    await rm(copy, { recursive: true })
  }
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
  return join(folder, tarball ?? assert.fail('no tarball'))
}

export const unreachable = /ENOTFOUND|ENOTCACHED|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT/

/** Returns false when the registry is unreachable and the cache is incomplete. */
export async function install(t: TestContext, folder: string, packages: readonly string[]) {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  const outcome = await run('npm', ['install', ...flags, ...packages], {
    cwd: folder,
    env: environment,
  }).catch((error) => error as { stderr: string })
  if (!('code' in outcome)) return true
  assert.match(outcome.stderr, unreachable)
  t.skip('The npm registry is unreachable: connect to the network.')
  return false
}

/** The title of a note that was made, as it is read again. */
export async function madeAndRead(url: string): Promise<string> {
  const made = await fetch(`${url}/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"packed"}',
  })
  assert.equal(made.status, 201)
  const read = await fetch(new URL(made.headers.get('location') ?? '', url))
  return ((await read.json()) as { title: string }).title
}

export function served(t: TestContext, folder: string, ...flags: readonly string[]) {
  const env = { PATH: environment.PATH, DATABASE_URL: database }
  return started(t, commandIn(folder), ['serve', 'service.ts', '--port', '0', ...flags], { cwd: folder, env })
}

export async function started(
  t: TestContext,
  program: string,
  args: readonly string[],
  settings: Pick<SpawnOptions, 'cwd' | 'env'>,
) {
  const child = spawn(program, args, { ...settings, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let url: string | undefined
  const { stdout } = child
  assert.ok(stdout)
  for await (const line of createInterface({ input: stdout })) {
    url = /^Listening on (\S+)$/.exec(line)?.[1]
    if (url !== undefined) break
  }
  assert.ok(url)
  stdout.resume()
  const stop = () => {
    child.kill('SIGTERM')
    return exited
  }
  return { url, stop }
}

/** Runs it to its end, whatever that is. */
export async function command(folder: string, args: readonly string[], options = '') {
  const env = { PATH: environment.PATH, NODE_OPTIONS: options }
  return run(commandIn(folder), args, { cwd: folder, env }).catch(
    (error) => error as { stdout: string; stderr: string },
  )
}

export function commandIn(folder: string): string {
  return join(folder, 'node_modules', '.bin', 'restwell')
}
