/** The real command in a process of its own. */

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, type TestContext } from 'node:test'
import { restwellProgram } from '../restwell.ts'

export const root = join(import.meta.dirname, '..', '..')

export interface Settings {
  readonly environment?: Readonly<Record<string, string>>
  readonly folder?: string
  /** The system's number for who runs it. */
  readonly user?: number
  /** How many file descriptors it may have. */
  readonly descriptors?: number
}

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs to its end. */
export async function outcomeOf(args: readonly string[], settings: Settings = {}) {
  const child = start(args, settings, ['ignore', 'pipe', 'pipe'])
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'exit'),
  ])
  const outcome: Outcome = { code, stdout, stderr }
  return outcome
}

export interface RunningCommand {
  readonly process: ChildProcess
  readonly port: number
  readonly url: string
  /** What standard error had to say, once it has ended. */
  readonly stderr: Promise<string>
  /** Sends SIGTERM; the exit code. */
  stop(): Promise<number | null>
}

/** Resolves once the command says that it listens. It runs until stopped, at most to the end of the calling test. */
export async function running(args: readonly string[], settings: Settings = {}): Promise<RunningCommand> {
  const child = start(args, settings, ['ignore', 'pipe', 'pipe'])
  after(() => child.kill('SIGKILL'))
  const stderr = text(child.stderr!)
  const exited = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /^Listening on (http:\/\/.*:(\d+))$/.exec(line)
    if (url === null) continue
    child.stdout!.resume()
    return {
      process: child,
      port: Number(url[2]),
      url: url[1] as string,
      stderr,
      async stop() {
        child.kill('SIGTERM')
        const [code] = await exited
        return code
      },
    }
  }
  throw new Error(`The command ended before it listened: ${await stderr}`)
}

function start(
  args: readonly string[],
  { environment, folder, user, descriptors }: Settings,
  stdio: StdioOptions,
) {
  const command = [process.execPath, ...restwellProgram, ...args]
  const limited = ['sh', '-c', `ulimit -n ${descriptors} && exec "$@"`, 'sh', ...command]
  const [program = '', ...words] = descriptors === undefined ? command : limited
  return spawn(program, words, {
    cwd: folder ?? root,
    env: { ...commandEnvironment(), ...environment },
    stdio,
    uid: user,
  })
}

/** Without the settings of the service that the tests themselves run with. */
export function commandEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE }
}

export async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-command-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
