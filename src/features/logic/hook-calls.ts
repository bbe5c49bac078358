/** The calls that a hook makes of its tools: all of them must end before the hook does. */

import { LogicFailure } from '../../requests/write/logic-runner.ts'

export class HookCalls {
  readonly #place: string
  #pending = 0
  #ended = false
  /** The reason of the first transaction that was rejected. */
  #failure: { readonly error: unknown } | undefined

  /** `place` is that of the hook in the definition. */
  constructor(place: string) {
    this.#place = place
  }

  /** Runs a call. Throws where the hook has ended. */
  async call<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#ended) throw new Error(`${this.#place} has ended. Await all calls in it.`)
    this.#pending += 1
    try {
      return await work()
    } finally {
      this.#pending -= 1
    }
  }

  /** Runs a transaction that is a part of the hook. Where it fails, so does the hook, also where the code catches it. */
  join<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.call(async () => {
      try {
        return await work()
      } catch (error) {
        this.#failure ??= { error }
        throw error
      }
    })
  }

  /** Refuses further calls. Throws a LogicFailure where a call is in progress, and what a transaction was rejected with. */
  end(): void {
    this.#ended = true
    if (this.#failure) throw this.#failure.error
    if (this.#pending === 0) return
    const reason = `${this.#place} has ended before ${this.#pending} of its calls. Await them.`
    throw new LogicFailure(this.#place, reason)
  }
}
