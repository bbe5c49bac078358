/** The figures of /status: the process now, and the history of the last hour. */

import { hasAfterHooks } from '../definition/declared-hooks.ts'
import type { Model } from '../definition/model.ts'
import { afterConsumerName, webhookConsumerName } from '../delivery/consumer.ts'
import { loadQueueFigures, type QueueFigures } from '../delivery/queue-figures.ts'
import type { LogExtent } from '../store/change-log.ts'
import { type MaybePromise, type Store, StoreUnavailable } from '../store/store.ts'
import type { StatusFigures, WorkFigures } from '../view/status-figures.ts'
import type { History, HistorySample } from './history.ts'
import type { LogFigures } from './metrics.ts'

const hour = 3600

/** The sources of the figures. */
export interface StatusSources {
  readonly history: History
  readonly store: Store
  readonly model: Model
  /** In octets; by default that of this process. */
  readonly memory?: number
}

export async function statusFigures(sources: StatusSources): Promise<StatusFigures> {
  const { history, store, model, memory = process.memoryUsage.rss() } = sources
  const uptime = process.uptime()
  const samples = history.samples()
  const each = <N extends keyof HistorySample>(name: N) => samples.map((sample) => sample[name])
  return {
    started: new Date(Date.now() - uptime * 1000).toISOString(),
    uptime: Math.floor(uptime),
    memory,
    database: await sizeOf(store),
    databaseState: await stateOf(store),
    log: await logFigures(store, model),
    deliveries: workFigures(await webhookQueueOf(store, model)),
    after: workFigures(await afterQueueOf(store, model)),
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

async function logFigures(store: Store, { logRetention: retention }: Model): Promise<StatusFigures['log']> {
  const extent = await logExtentOf(store)
  if (extent === null) return null
  const { entries, oldest = null, newest = null } = extent
  return { entries, oldest, newest, retention }
}

function workFigures(queue: QueueFigures | null): WorkFigures | null {
  if (!queue) return null
  const { waiting, parked, oldest } = queue
  const lag = oldest === undefined ? 0 : Math.max(0, Math.floor((Date.now() - Date.parse(oldest)) / 1000))
  return { waiting, parked, lag }
}

/** The deliveries of webhooks; null when they are unavailable or the service has none. */
function webhookQueueOf(store: Store, model: Model): Promise<QueueFigures | null> {
  return model.accounts ? queueOf(store, model, webhookConsumerName) : Promise.resolve(null)
}

/** The `after` hooks to be run; null when they are unavailable or the definition has none. */
function afterQueueOf(store: Store, model: Model): Promise<QueueFigures | null> {
  return hasAfterHooks(model) ? queueOf(store, model, afterConsumerName) : Promise.resolve(null)
}

async function queueOf(store: Store, model: Model, consumer: string): Promise<QueueFigures | null> {
  return (await nullIfUnavailable(() => loadQueueFigures(store, model, consumer))) ?? null
}

/** The size of the database in octets; null when it is unavailable. */
export function sizeOf(store: Store): Promise<number | null> {
  return nullIfUnavailable(() => store.databaseSize())
}

/** The change log and the work that it makes, for /metrics. */
export async function logFiguresOf(store: Store, model: Model): Promise<LogFigures> {
  return {
    log: await logExtentOf(store),
    deliveries: await webhookQueueOf(store, model),
    after: await afterQueueOf(store, model),
  }
}

/** The extent of the change log; null when it is unavailable. */
function logExtentOf(store: Store): Promise<LogExtent | null> {
  return nullIfUnavailable(() => store.logExtent())
}

async function nullIfUnavailable<Result>(read: () => MaybePromise<Result>): Promise<Result | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}
