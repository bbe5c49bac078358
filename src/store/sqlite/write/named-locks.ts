/** Turns across the processes of a SQLite file: the writer thread, which all of them use, grants them as leases. */

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { LocalTurns } from '../../local-turns.ts'
import type { Writer } from './writer-thread.ts'

/** Milliseconds after which the turn of a dead process ends. */
const lease = 5000
/** Milliseconds between two attempts to get a turn. */
const retryInterval = 5

export class WriterTurns {
  readonly #writer: Writer
  readonly #local = new LocalTurns()

  constructor(writer: Writer) {
    this.#writer = writer
  }

  /** Runs the work in its turn; undefined where the turn did not come in time. */
  run<Result>(name: string, milliseconds: number, work: () => Promise<Result>): Promise<Result | undefined> {
    const until = performance.now() + milliseconds
    return this.#local.run(name, async () => {
      const holder = randomUUID()
      if (!(await this.#take({ name, holder }, until))) return undefined
      try {
        return await work()
      } finally {
        await this.#writer.perform({ kind: 'end-turn', name, holder })
      }
    })
  }

  async #take(turn: { readonly name: string; readonly holder: string }, until: number): Promise<boolean> {
    while (performance.now() < until) {
      const outcome = await this.#writer.perform({ kind: 'take-turn', ...turn, lease })
      if (outcome.kind === 'done') return true
      await pause(retryInterval)
    }
    return false
  }
}
