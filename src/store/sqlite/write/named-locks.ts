/** Named locks across the processes of a SQLite file: the writer thread, which all of them use, grants them as leases. */

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { LocalLocks } from '../../local-locks.ts'
import type { Writer } from './writer-thread.ts'

/** Milliseconds after which the lock of a dead process ends. */
const lease = 5000
/** Milliseconds between two attempts to get the lock. */
const retryInterval = 5

export class SqliteNamedLocks {
  readonly #writer: Writer
  readonly #local = new LocalLocks()

  constructor(writer: Writer) {
    this.#writer = writer
  }

  /** Runs the work while it holds the lock; undefined where the lock was not free in time. */
  run<Result>(name: string, milliseconds: number, work: () => Promise<Result>): Promise<Result | undefined> {
    const until = performance.now() + milliseconds
    return this.#local.run(name, async () => {
      const holder = randomUUID()
      if (!(await this.#take({ name, holder }, until))) return undefined
      try {
        return await work()
      } finally {
        await this.#writer.perform({ kind: 'release-lock', name, holder })
      }
    })
  }

  async #take(lock: { readonly name: string; readonly holder: string }, until: number): Promise<boolean> {
    while (performance.now() < until) {
      const outcome = await this.#writer.perform({ kind: 'take-lock', ...lock, lease })
      if (outcome.kind === 'done') return true
      await pause(retryInterval)
    }
    return false
  }
}
