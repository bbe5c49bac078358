/**
 * A response body whose parts are pushed as they arise, for a client that waits for them. Unlike a
 * generator it ends at once when the client goes, even while it waits for the next part.
 */

export class LiveBody implements AsyncIterableIterator<string> {
  #parts: string[] = []
  #length = 0
  #ended = false
  #waiting: ((result: IteratorResult<string>) => void) | undefined
  #drained: (() => void) | undefined
  readonly #onEnd: () => void

  /** `onEnd` is called once, when the body ends or is discarded. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** The characters that the client has not taken yet. */
  get length(): number {
    return this.#length
  }

  get isEnded(): boolean {
    return this.#ended
  }

  push(part: string): void {
    if (this.#ended) return
    const waiting = this.#waiting
    if (waiting) {
      this.#waiting = undefined
      waiting({ done: false, value: part })
      return
    }
    this.#parts.push(part)
    this.#length += part.length
  }

  /** Resolves when the client has taken all parts, or the body has ended. */
  drained(): Promise<void> {
    if (this.#ended || this.#length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#drained = resolve
    })
  }

  /** Ends the body after the parts that the client has not taken yet. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#drained?.()
    if (this.#parts.length === 0) this.#waiting?.({ done: true, value: undefined })
    this.#waiting = undefined
  }

  /** Ends the body without the parts that the client has not taken yet. */
  discard(): void {
    this.#parts = []
    this.#length = 0
    this.end()
  }

  next(): Promise<IteratorResult<string>> {
    if (this.#parts.length > 0) {
      const value = this.#parts.join('')
      this.#parts = []
      this.#length = 0
      this.#drained?.()
      this.#drained = undefined
      return Promise.resolve({ done: false, value })
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  return(): Promise<IteratorResult<string>> {
    this.discard()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
