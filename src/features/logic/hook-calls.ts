/** The calls that a hook makes of its tools: all of them must end before the hook does. */

import { LogicFailure } from '../../requests/write/logic-runner.ts'

export class HookCalls {
  readonly #place: string
  #pending = 0
  #ended = false

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

  /** Refuses further calls. Throws a LogicFailure where a call is in progress. */
  end(): void {
    this.#ended = true
    if (this.#pending === 0) return
    const reason = `${this.#place} has ended before ${this.#pending} of its calls. Await them.`
    throw new LogicFailure(this.#place, reason)
  }
}
