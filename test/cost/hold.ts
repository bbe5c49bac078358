/** How long a request holds the event loop, and how many octets the database gives for it. */

import { StatementSync } from 'node:sqlite'

export interface Hold {
  /** Milliseconds of processor time between two turns of the loop, statements excluded. */
  readonly longest: number
  /** Characters of all rows that the database gave. */
  readonly loaded: number
}

/** Processor time of this thread, so that other processes on the machine count less. */
export async function measureHold(work: () => Promise<unknown>): Promise<Hold> {
  const store = watchStatements()
  let longest = 0
  let began = processorTime()
  let excluded = 0
  const endTurn = () => {
    const now = processorTime()
    longest = Math.max(longest, now - began - (store.time() - excluded))
    began = now
    excluded = store.time()
  }
  const beat = () => {
    endTurn()
    pending = setImmediate(beat)
  }
  let pending = setImmediate(beat)
  try {
    await work()
    endTurn()
    return { longest, loaded: store.loaded() }
  } finally {
    clearImmediate(pending)
    store.end()
  }
}

/** Of this thread, in milliseconds. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

interface WatchedStatements {
  time(): number
  loaded(): number
  end(): void
}

/** Every statement of SQLite that runs on this thread. */
function watchStatements(): WatchedStatements {
  let time = 0
  let loaded = 0
  const timed = <Result>(run: () => Result): Result => {
    const began = processorTime()
    try {
      return run()
    } finally {
      time += processorTime() - began
    }
  }
  const { all, get, iterate } = StatementSync.prototype
  Object.assign(StatementSync.prototype, {
    all(this: StatementSync, ...values: Parameters<typeof all>) {
      const rows = timed(() => all.apply(this, values))
      loaded += charactersOf(rows)
      return rows
    },
    get(this: StatementSync, ...values: Parameters<typeof get>) {
      const row = timed(() => get.apply(this, values))
      loaded += charactersOf(row)
      return row
    },
    *iterate(this: StatementSync, ...values: Parameters<typeof iterate>) {
      const rows = iterate.apply(this, values)
      try {
        for (;;) {
          const { done, value } = timed(() => rows.next())
          if (done) return
          loaded += charactersOf(value)
          yield value
        }
      } finally {
        rows.return?.()
      }
    },
  })
  return {
    time: () => time,
    loaded: () => loaded,
    end: () => void Object.assign(StatementSync.prototype, { all, get, iterate }),
  }
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + charactersOf(one), 0)
  return 8
}
