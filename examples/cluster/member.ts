/** A program of the cluster, which can be started, stopped, killed and restarted. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface Program {
  readonly name: string
  /** Where its log is written. */
  readonly folder: string
  readonly port: number
  readonly command: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The user that runs it; undefined for the current user. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /** The signal for a graceful stop; SIGTERM by default. */
  readonly stopSignal?: NodeJS.Signals
  /** Whether it has started; polled by `start`. */
  isReady(): Promise<boolean>
}

const readyLimit = 60_000
const readyInterval = 20

/** Killed when this process exits. */
const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach(killTree))

export class Member {
  readonly #program: Program
  #child: ChildProcess | undefined

  constructor(program: Program) {
    this.#program = program
  }

  get name(): string {
    return this.#program.name
  }

  get port(): number {
    return this.#program.port
  }

  get log(): string {
    return join(this.#program.folder, `${this.name}.log`)
  }

  /** Resolves when the program is ready; rejects with the end of its log if it fails. */
  async start(): Promise<void> {
    const child = this.#spawn()
    this.#child = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    const failed = once(child, 'error').then(([error]) => error as NodeJS.ErrnoException)
    const until = performance.now() + readyLimit
    while (!(await this.#program.isReady())) {
      const error = await Promise.race([failed, pause(readyInterval)])
      if (error !== undefined) throw new Error(this.#describeSpawnError(error), { cause: error })
      if (hasEnded(child) || performance.now() > until) throw new Error(this.#describeFailure())
    }
  }

  /** Stops the program gracefully; resolves at once if it does not run. */
  async stop(): Promise<void> {
    await this.#end((child) => child.kill(this.#program.stopSignal ?? 'SIGTERM'))
  }

  /** Kills the program and its children at once, like a power failure. */
  async kill(): Promise<void> {
    await this.#end(killTree)
  }

  /** Detached, so that Ctrl-C reaches only this process, which stops the programs in order. */
  #spawn(): ChildProcess {
    const { command, args, environment, user } = this.#program
    const log = openSync(this.log, 'a')
    try {
      return spawn(command, args, {
        detached: true,
        env: { ...process.env, ...environment },
        stdio: ['ignore', log, log],
        ...user,
      })
    } finally {
      closeSync(log)
    }
  }

  async #end(signal: (child: ChildProcess) => void): Promise<void> {
    const child = this.#child
    if (child === undefined || hasEnded(child)) return
    const exited = once(child, 'exit')
    signal(child)
    await exited
  }

  #describeSpawnError({ code, message }: NodeJS.ErrnoException): string {
    return code === 'ENOENT'
      ? `${this.#program.command} is not installed on this machine.`
      : `${this.name} cannot be started: ${message}`
  }

  #describeFailure(): string {
    const lines = readFileSync(this.log, 'utf8').trimEnd().split('\n').slice(-5)
    return `${this.name} did not start. The end of its log:\n${lines.join('\n')}`
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

/** Kills a process and its children, which must be listed before their parent is gone. */
function killTree(child: ChildProcess): void {
  if (child.pid === undefined || hasEnded(child)) return
  const children = childrenOf(child.pid)
  child.kill('SIGKILL')
  for (const pid of children) killIfRunning(pid)
}

/** Known on Linux only; elsewhere the processes of PostgreSQL notice that their parent is gone. */
function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
