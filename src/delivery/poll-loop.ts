/** Repeats a step until it is closed: at once while there is something to do, else after a pause. */

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
  #woken = false
  #resume: (() => void) | undefined
  #running: Promise<void> | undefined

  constructor(options: PollStep) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Makes the next step now instead of after the pause. */
  wake(): void {
    this.#woken = true
    this.#resume?.()
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Resolves when the present step has ended. */
  async close(): Promise<void> {
    this.#closed = true
    this.#resume?.()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#pause(await this.#options.step())
      } catch (error) {
        this.#options.report(error)
        await this.#pause(idleInterval)
      }
    }
  }

  #pause(milliseconds: number): Promise<void> {
    if (this.#closed || this.#woken || milliseconds === 0) {
      this.#woken = false
      return new Promise((resolve) => setImmediate(resolve))
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#resume?.(), milliseconds)
      timer.unref()
      this.#resume = () => {
        clearTimeout(timer)
        this.#resume = undefined
        this.#woken = false
        resolve()
      }
    })
  }
}
