/** The time of a hook: it passes only while code of the definition runs or waits, not in calls of the store. */

/** Thrown when the time is over. */
export class HookTimeout extends Error {
  constructor() {
    super('The time of the hook is over')
    this.name = 'HookTimeout'
  }
}

/** The time of one hook, nested hooks included. */
export class HookClock {
  readonly #controller = new AbortController()
  readonly #over = Promise.withResolvers<never>()
  #remaining: number
  #began = 0
  #paused = 0
  #timer: NodeJS.Timeout | undefined

  constructor(milliseconds: number) {
    this.#remaining = milliseconds
    // Nothing may be waiting for it.
    this.#over.promise.catch(() => undefined)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The result of the work; rejects with a HookTimeout when the time is over first. */
  async limit<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    this.#start()
    try {
      return await Promise.race([work(), this.#over.promise])
    } finally {
      this.#stop()
    }
  }

  /** Work during which no time passes. Rejects at once when the time is over. */
  async exclude<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.signal.aborted) throw new HookTimeout()
    this.#paused += 1
    if (this.#paused === 1) this.#stop()
    try {
      return await work()
    } finally {
      this.#paused -= 1
      if (this.#paused === 0) this.#start()
    }
  }

  #start(): void {
    if (this.signal.aborted) return
    this.#began = performance.now()
    this.#timer = setTimeout(() => this.#end(), Math.max(0, this.#remaining))
  }

  #stop(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#remaining -= performance.now() - this.#began
  }

  #end(): void {
    this.#controller.abort(new HookTimeout())
    this.#over.reject(new HookTimeout())
  }
}
