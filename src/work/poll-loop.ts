/** Repeats a step until it is closed: at once while there is something to do, else after a pause. */

import { WakeablePause } from '../tools/wakeable-pause.ts'

export interface PollStep {
  /** Returns the milliseconds until there may be something to do. */
  step(): Promise<number>
  /** Receives the error of a failed step, which is repeated after the longest pause. */
  report(error: unknown): void
}

/** The longest pause, in milliseconds. */
export const idleInterval = 1000

export class PollLoop {
  readonly #options: PollStep
  #closed = false
  readonly #pause = new WakeablePause()
  #running: Promise<void> | undefined

  constructor(options: PollStep) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Makes the next step now instead of after the pause. */
  wake(): void {
    this.#pause.wake()
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Resolves when the present step has ended. */
  async close(): Promise<void> {
    this.#closed = true
    this.#pause.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#pause.wait(await this.#options.step())
      } catch (error) {
        this.#options.report(error)
        await this.#pause.wait(idleInterval)
      }
    }
  }
}
