/** The figures of /status: the process now, and the history of the last hour. */

import { type Store, StoreUnavailable } from '../store/store.ts'
import type { StatusFigures } from '../view/status-figures.ts'
import type { History, HistorySample } from './history.ts'

const hour = 3600

export async function statusFigures(
  history: History,
  store: Store,
  memory = process.memoryUsage.rss(),
): Promise<StatusFigures> {
  const uptime = process.uptime()
  const samples = history.samples()
  const each = <N extends keyof HistorySample>(name: N) => samples.map((sample) => sample[name])
  return {
    started: new Date(Date.now() - uptime * 1000).toISOString(),
    uptime: Math.floor(uptime),
    memory,
    database: await sizeOf(store),
    databaseState: await stateOf(store),
    step: history.sampleInterval,
    length: hour / history.sampleInterval,
    series: {
      requests: each('requests'),
      errors: each('errors'),
      median: each('median'),
      slowest: each('slowest'),
      loopDelay: each('loopDelay'),
      memory: each('memory'),
      database: each('database'),
    },
  }
}

async function stateOf(store: Store): Promise<StatusFigures['databaseState']> {
  try {
    await store.check()
    return 'ready'
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.reason
    throw error
  }
}

/** The size of the database in octets; null when it is unavailable. */
export async function sizeOf(store: Store): Promise<number | null> {
  try {
    return await store.size()
  } catch (error) {
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}
