/** A project that `restwell init` creates. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { folderOf } from '../commands/command.ts'
import { environment, install, run } from './installed-package.ts'

/** The way of a new user, step by step. */
export async function assertInit(t: TestContext, tarball: string): Promise<void> {
  const project = await folderOf(t)
  // Not the variable by which Node knows that it is itself run by a test.
  const { NODE_TEST_CONTEXT: _, ...env }: NodeJS.ProcessEnv = environment
  const step = (command: string, ...args: readonly string[]) => run(command, args, { cwd: project, env })
  await step('npm', 'init', '-y')
  if (!(await install(t, project, [tarball]))) return
  await step('npx', '--no-install', 'restwell', 'init', '.')
  if (!(await install(t, project, []))) return
  await assertDev(t, project, env)
  assert.match((await step('npm', 'test')).stdout, /pass 1/)
  await step('npx', '--no-install', 'tsc')
  await writeFile(join(project, 'wrong.ts'), `export const wrong: number = 'text'\n`)
  await assert.rejects(step('npx', '--no-install', 'tsc'), ({ stdout }) => /TS2322/.test(stdout))
  // The packages of the first project are those of the second one too.
  await step('npx', '--no-install', 'restwell', 'init', 'work', '--template', 'tracker')
  const inWork = { cwd: join(project, 'work'), env }
  assert.match((await run('npm', ['test'], inWork)).stdout, /pass 1/)
  await run('npx', ['--no-install', 'tsc'], inWork)
}

/** Serves, and serves an edited field after a reload. */
async function assertDev(t: TestContext, project: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('npm', ['run', 'dev'], {
    cwd: project,
    env: { ...env, PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // npm starts further processes, which are to end with it.
    detached: true,
  })
  const closed = once(child, 'close')
  const stop = () => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  }
  t.after(stop)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const url = (await nextLine(lines, /^Listening on /)).replace('Listening on ', '')
  const ada = { email: 'ada@example.org', name: 'Ada', password: 'correct horse battery' }
  const headers = { 'content-type': 'application/json' }
  const make = (person: object) =>
    fetch(`${url}/users`, { method: 'POST', headers, body: JSON.stringify(person) })
  assert.equal((await make(ada)).status, 201)
  const bob = { ...ada, email: 'bob@example.org', city: 'Bern' }
  assert.equal((await make(bob)).status, 422)
  const file = join(project, 'service.ts')
  const before = await readFile(file, 'utf8')
  await writeFile(file, before.replace('  name: text(', '  city: text().optional(),\n    name: text('))
  await nextLine(lines, /^Reloaded service\.ts/)
  assert.equal((await make(bob)).status, 201, 'the edited definition has the field')
  // Before the folder is removed: the command would find that its files have changed.
  stop()
  await closed
}

async function nextLine(lines: AsyncIterator<string>, pattern: RegExp): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done) assert.fail(`The output ended before ${pattern}`)
    if (pattern.test(value)) return value
  }
}
