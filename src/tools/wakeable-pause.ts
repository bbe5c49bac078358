/** A pause of a loop that a call ends early. */

export class WakeablePause {
  #isWoken = false
  #resume: (() => void) | undefined

  /** Ends the present pause, or else the next one at once. */
  wake(): void {
    this.#isWoken = true
    this.#resume?.()
  }

  /** Ignores calls of `wake` from before. */
  reset(): void {
    this.#isWoken = false
  }

  /** Resolves after so many milliseconds, or when it is woken. The timer does not keep the process running. */
  wait(milliseconds: number): Promise<void> {
    if (this.#isWoken || milliseconds === 0) {
      this.#isWoken = false
      return new Promise((resolve) => setImmediate(resolve))
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#resume?.(), milliseconds)
      timer.unref()
      this.#resume = () => {
        clearTimeout(timer)
        this.#resume = undefined
        this.#isWoken = false
        resolve()
      }
    })
  }
}
