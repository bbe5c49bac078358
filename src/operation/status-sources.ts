/** The figures of /status. */

import type { Model } from '../definition/model.ts'
import type { LogExtent } from '../store/change-log.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { loadQueueFigures, type QueueFigures } from '../work/queued-work.ts'
import { loadBackupFigures } from './backup-figures.ts'
import { keyOf, labelValuesOf, quantileOf } from './metric-families.ts'
import { durations, type Figures, type StoreFigures } from './metrics.ts'
import type { FileFigures, JobFigures, RouteFigures, StatusFigures, WorkFigures } from './status-figures.ts'
import { versionFigures } from './version-usage.ts'

/** The figures of features. */
export interface FigureSources {
  readonly deliveries?: QueueConsumer
  readonly after?: QueueConsumer
  readonly jobs?: QueueConsumer
  /** Their code is loaded on first use. */
  files?(store: Store, model: Model): Promise<FileFigures | null>
}

/** The name of the consumer of a queue; undefined where the model makes no such work. */
type QueueConsumer = (model: Model) => string | undefined

/** The sources of the figures. */
export interface StatusSources {
  readonly features: FigureSources
  readonly store: Store
  readonly model: Model
  /** Of all processes of the service. */
  readonly figures: Figures
  /** The place of backups: a folder or an `s3:` URL. */
  readonly backups?: string | undefined
}

export async function statusFigures(sources: StatusSources): Promise<StatusFigures> {
  const { store, model, figures } = sources
  const { started } = figures
  const queues = await loadQueues(sources)
  return {
    started: new Date(started * 1000).toISOString(),
    uptime: Math.floor(Date.now() / 1000 - started),
    memory: figures.memory,
    database: await sizeOf(store),
    freeSpace: freeSpaceOf(store),
    databaseState: await stateOf(store),
    log: await logFigures(store, model),
    deliveries: workFigures(queues.deliveries),
    after: workFigures(queues.after),
    jobs: jobFigures(queues.jobs),
    files: await nullIfUnavailable(async () => (await sources.features.files?.(store, model)) ?? null),
    backups: await loadBackupFigures(sources.backups),
    versions: versionFigures(model.versions.keys(), figures.versionUsage),
    routes: routeFigures(figures, durations.buckets),
    recentErrors: figures.recentErrors,
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

function jobFigures(queue: QueueFigures | null): JobFigures | null {
  const figures = workFigures(queue)
  return figures && { waiting: figures.waiting, lag: figures.lag }
}

type QueueSources = Pick<StatusSources, 'features' | 'store' | 'model'>

/** The queues; each is null when it is unavailable or the service has none. */
async function loadQueues(
  sources: QueueSources,
): Promise<Pick<StoreFigures, 'deliveries' | 'after' | 'jobs'>> {
  const { deliveries, after, jobs } = sources.features
  return {
    deliveries: await loadQueue(sources, deliveries),
    after: await loadQueue(sources, after),
    jobs: await loadQueue(sources, jobs),
  }
}

async function loadQueue(
  { store, model }: QueueSources,
  consumerOf: QueueConsumer | undefined,
): Promise<QueueFigures | null> {
  const consumer = consumerOf?.(model)
  if (consumer === undefined) return null
  return (await nullIfUnavailable(() => loadQueueFigures(store, model, consumer))) ?? null
}

/** Requests, errors and latency of each method and route, the most frequent first. */
function routeFigures({ requests, duration }: Figures, buckets: readonly number[]): readonly RouteFigures[] {
  const all = [...duration].map(([key, { counts, sum }]) => {
    const [method = '', route = ''] = labelValuesOf(key)
    const total = counts.reduce((all, count) => all + count, 0)
    const countOf = (status: string) => requests.get(keyOf([method, route, status]))?.count ?? 0
    return {
      method,
      route,
      requests: total,
      refused: countOf('4xx'),
      errors: countOf('5xx'),
      mean: inMilliseconds(sum / total),
      median: inMilliseconds(quantileOf(counts, buckets, 0.5)),
      slowest: inMilliseconds(quantileOf(counts, buckets, 0.99)),
    }
  })
  return all.toSorted((one, other) => other.requests - one.requests)
}

function inMilliseconds(seconds: number): number {
  return Math.round(seconds * 100_000) / 100
}

/** The size of the database in octets; null when it is unavailable. */
function sizeOf(store: Store): Promise<number | null> {
  return nullIfUnavailable(async () => store.databaseSize())
}

/** The octets that are left on the disk of the database; null when they are unknown. */
function freeSpaceOf(store: Store): number | null {
  try {
    return store.freeSpace?.() ?? null
  } catch {
    // The folder of the database is gone.
    return null
  }
}

/** The figures in /metrics of the database, the work that its log makes, and its backups. */
export async function storeFiguresOf(
  sources: Pick<StatusSources, 'features' | 'store' | 'model' | 'backups'>,
): Promise<StoreFigures> {
  const { store, model, backups } = sources
  return {
    log: await logExtentOf(store),
    logRetention: model.logRetention,
    ...(await loadQueues(sources)),
    freeSpace: freeSpaceOf(store),
    backups: await loadBackupFigures(backups),
  }
}

/** The extent of the change log; null when it is unavailable. */
function logExtentOf(store: Store): Promise<LogExtent | null> {
  return nullIfUnavailable(async () => store.logExtent())
}

async function nullIfUnavailable<Result>(read: () => Promise<Result>): Promise<Result | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}
