/** Named locks within a process: work under the same name runs one after the other, in the order of arrival. */

export class LocalLocks {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs the work after all earlier work under the name, whether that failed or not. */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const earlier = this.#last.get(name) ?? Promise.resolve()
    const own = earlier.then(work, work)
    const settled: Promise<void> = own.then(
      () => this.#end(name, settled),
      () => this.#end(name, settled),
    )
    this.#last.set(name, settled)
    return own
  }

  #end(name: string, settled: Promise<unknown>): void {
    if (this.#last.get(name) === settled) this.#last.delete(name)
  }
}
