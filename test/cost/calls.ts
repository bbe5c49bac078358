/** Exact counts of the calls of every function while a request is handled. */

import { Session } from 'node:inspector/promises'

export interface Calls {
  /** The address of the script and the name of the function. */
  readonly name: string
  readonly count: number
}

/** V8 counts every call, whatever is inlined, so the counts do not depend on the machine. */
export class CallCounter implements AsyncDisposable {
  readonly #session = new Session()

  static async start(): Promise<CallCounter> {
    const counter = new CallCounter()
    const session = counter.#session
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    return counter
  }

  /** The functions that were called since the last time. */
  async take(): Promise<readonly Calls[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    return result.flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName, ranges }) => {
        const count = ranges[0]?.count ?? 0
        return count === 0 ? [] : [{ name: `${url} ${functionName}`, count }]
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }
}
