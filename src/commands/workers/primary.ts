/**
 * The service in several processes on one machine. The primary has the port and hands its
 * connections to the workers in turn; on a SQLite file it also has the only writer. It answers no
 * request itself.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { type Acceptor, openAcceptor } from '../../server/acceptor.ts'
import { formatSchema, schemaOf } from '../../store/schema/table-schema.ts'
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { CommandFault } from '../command.ts'
import type { Serving, ServingOptions } from '../prepare-start.ts'
import { collectAlone } from '../process-settings.ts'
import type { WorkerMethods } from './rpc-methods.ts'
import { SharedState } from './shared-state.ts'
import { WorkerPool } from './worker-pool.ts'

/** Milliseconds, as for one process; workers keep the drain limit themselves. */
const grace = 500
const lookInterval = 20
const drainLimit = 30_000

export async function serveWithWorkers(parts: ServingOptions): Promise<Serving> {
  collectAlone()
  const { store, metrics } = parts
  const {
    crew: pool,
    commons: sharedState,
    door: acceptor,
  } = await gathered(parts).catch(async (error) => {
    throw await refused(parts, error)
  })
  try {
    await pool.start()
  } catch (error) {
    await acceptor.close()
    await pool.end(0)
    throw await refused(parts, error)
  }
  sharedState.start()
  return {
    url: acceptor.url,
    async stop() {
      await stopCrew(pool, acceptor)
      sharedState.close()
      metrics.close()
      await store.close()
    },
  }
}

async function gathered({ args, config, model, store, metrics, observe }: ServingOptions) {
  const shared = store instanceof SqliteStore ? store : undefined
  const writer = await shared?.writer.share()
  const acceptor = await openAcceptor(config)
  const sharedState = new SharedState({
    store,
    metrics,
    observe,
    workers: () => pool.workers,
  })
  const file = shared && writer && { ...shared.place, writer: writer.path }
  const pool: WorkerPool = new WorkerPool({
    size: config.workers,
    beginning: { args, file, schema: formatSchema(schemaOf(model)) },
    observe,
    descriptors: writer ? [writer.moment] : [],
    serviceFor: (worker) => sharedState.serviceFor(worker),
    onReadiness: (ready) => acceptor.setHandler(ready ? (socket) => pool.hand(socket) : undefined),
    onReturned: (socket) => acceptor.admit(socket),
  })
  return { crew: pool, commons: sharedState, door: acceptor }
}

async function refused({ store }: ServingOptions, error: unknown): Promise<CommandFault> {
  await store.close()
  return new CommandFault(error instanceof Error ? error.message : String(error), { cause: error })
}

/**
 * As one process stops (CONTRACT 8), in step: the port closes while all of them hold their answers
 * back, so that nobody connects again; what came through before is handed on before they go out.
 */
async function stopCrew(pool: WorkerPool, acceptor: Acceptor): Promise<void> {
  pool.dismiss()
  await all(pool, 'retire', 'The service is stopping.')
  await withoutConnections(pool)
  await all(pool, 'holdAnswers', undefined)
  await acceptor.close()
  await all(pool, 'releaseAnswers', undefined)
  const late = setTimeout(() => void pool.end(0), drainLimit + 2 * grace)
  await all(pool, 'drain', undefined)
  clearTimeout(late)
  await pool.end(grace)
}

/** Until no connection is left, or the time is over. */
async function withoutConnections(pool: WorkerPool): Promise<void> {
  const until = performance.now() + grace
  while (performance.now() < until) {
    const counts = await all(pool, 'countConnections', undefined)
    if (counts.every((count) => count === 0)) return
    await pause(lookInterval)
  }
}

/** What those say that have not ended meanwhile. */
async function all<N extends keyof WorkerMethods>(
  { workers }: WorkerPool,
  name: N,
  value: Parameters<WorkerMethods[N]>[0],
): Promise<readonly unknown[]> {
  const calls = workers.map(({ dialogue }) => dialogue.call(name, value as never))
  const settled = await Promise.allSettled(calls)
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}
