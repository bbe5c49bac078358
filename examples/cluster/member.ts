/** One program of the cluster: it is started, stopped or killed, and can be started again. */

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
  /** Who runs it, where that is not who runs us. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /** The signal that ends it in good order. */
  readonly goodbye?: NodeJS.Signals
  /** Whether it does its work already; asked again and again while it starts. */
  isReady(): Promise<boolean>
}

const readyLimit = 60_000
const readyInterval = 20

/** What is left when this process ends, for whatever reason, goes with it. */
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

  /** Resolves when it does its work; rejects with the end of its log where it does not. */
  async start(): Promise<void> {
    const child = this.#spawn()
    this.#child = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    const failed = once(child, 'error').then(([error]) => error as NodeJS.ErrnoException)
    const until = performance.now() + readyLimit
    while (!(await this.#program.isReady())) {
      const error = await Promise.race([failed, pause(readyInterval)])
      if (error !== undefined) throw new Error(this.#obstacle(error), { cause: error })
      if (hasEnded(child) || performance.now() > until) throw new Error(this.#lastWords())
    }
  }

  /** In good order; at once where it does not run. */
  async stop(): Promise<void> {
    await this.#end((child) => child.kill(this.#program.goodbye ?? 'SIGTERM'))
  }

  /** As when its machine loses power: it and all that it has started are gone at once. */
  async kill(): Promise<void> {
    await this.#end(killTree)
  }

  /** Ctrl-C in a terminal goes to a whole group; in groups of their own they are stopped in order. */
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

  #obstacle({ code, message }: NodeJS.ErrnoException): string {
    return code === 'ENOENT'
      ? `${this.#program.command} is not installed on this machine.`
      : `${this.name} cannot be started: ${message}`
  }

  #lastWords(): string {
    const lines = readFileSync(this.log, 'utf8').trimEnd().split('\n').slice(-5)
    return `${this.name} did not start. The end of its log:\n${lines.join('\n')}`
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

/** It and what it has started; their names are asked for first, for orphans have no parent to ask. */
function killTree(child: ChildProcess): void {
  if (child.pid === undefined || hasEnded(child)) return
  const children = childrenOf(child.pid)
  child.kill('SIGKILL')
  for (const pid of children) killIfThere(pid)
}

/** Linux tells; elsewhere PostgreSQL's processes notice by themselves that their parent is gone. */
function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
