/**
 * Serves in several processes on one machine. The primary listens and hands connections to the
 * workers in turn; for a SQLite file it also runs the only writer. It handles no request itself. It runs no code of
 * the definition, which could block its event loop and so all connections.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { CommandFault } from '../../operation/command-frame/command.ts'
import { type Acceptor, openAcceptor } from '../../server/acceptor.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import { formatSchema } from '../../store/schema/table-schema.ts'
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts'
import type { ListeningService, ListenOptions } from '../prepare-start.ts'
import { disableParallelScavenging } from '../serving-process.ts'
import type { WorkerMethods } from './rpc-methods.ts'
import { SharedState } from './shared-state.ts'
import { WorkerPool } from './worker-pool.ts'

/** In milliseconds, as for a single process. */
const grace = 500
const pollInterval = 20
const drainLimit = 30_000

/** Resolves when all workers are ready. Throws a CommandFault when the port or a worker fails. */
export async function serveWithWorkers(options: ListenOptions): Promise<ListeningService> {
  disableParallelScavenging()
  const { store, metrics } = options
  const { pool, sharedState, acceptor } = await createPool(options).catch(async (error) => {
    throw await closeAndExplain(options, error)
  })
  try {
    await pool.start()
  } catch (error) {
    await acceptor.close()
    await pool.end(0)
    throw await closeAndExplain(options, error)
  }
  sharedState.start()
  return {
    url: acceptor.url,
    async stop() {
      await stopWorkers(pool, acceptor)
      await sharedState.close()
      metrics.close()
      await store.close()
    },
  }
}

async function createPool(options: ListenOptions) {
  const { args, config, model, store, metrics, observe } = options
  const shared = store instanceof SqliteStore ? store : undefined
  const writer = await shared?.writer.share()
  const acceptor = await openAcceptor(config)
  const sharedState = new SharedState({
    model,
    store,
    metrics,
    observe,
    files: { url: config.files, database: config.database },
    workers: () => pool.workers,
  })
  const file = shared && writer && { ...shared.databaseFile, writer: writer.path }
  const pool: WorkerPool = new WorkerPool({
    size: config.workers,
    start: { args, file, schema: formatSchema(schemaOf(model)) },
    observe,
    descriptors: writer ? [writer.seqlockDescriptor] : [],
    createWorkerServices: (worker) => sharedState.createWorkerServices(worker),
    onReadiness: (ready) => acceptor.setHandler(ready ? (socket) => pool.handOff(socket) : undefined),
    onReturned: (socket) => acceptor.accept(socket),
  })
  return { pool, sharedState, acceptor }
}

async function closeAndExplain({ store }: ListenOptions, error: unknown): Promise<CommandFault> {
  await store.close()
  return new CommandFault(error instanceof Error ? error.message : String(error), { cause: error })
}

/**
 * Stops all workers together, like a single process (docs/reference/http/limits.md, Operation). The port
 * closes while all workers hold their responses, so no client connects again, and all accepted
 * connections are handed to workers before the responses are sent.
 */
async function stopWorkers(pool: WorkerPool, acceptor: Acceptor): Promise<void> {
  pool.stopReplacing()
  await callAll(pool, 'retire', 'The service is stopping.')
  await waitForNoConnections(pool)
  await callAll(pool, 'holdResponses', undefined)
  await acceptor.close()
  await callAll(pool, 'releaseResponses', undefined)
  const late = setTimeout(() => void pool.end(0), drainLimit + 2 * grace)
  await callAll(pool, 'drain', undefined)
  clearTimeout(late)
  await pool.end(grace)
}

/** Resolves when no connection is left, or after the grace period. */
async function waitForNoConnections(pool: WorkerPool): Promise<void> {
  const until = performance.now() + grace
  while (performance.now() < until) {
    const counts = await callAll(pool, 'countConnections', undefined)
    if (counts.every((count) => count === 0)) return
    await pause(pollInterval)
  }
}

/** Calls a method of all workers; returns the results of those that are still running. */
async function callAll<N extends keyof WorkerMethods>(
  { workers }: WorkerPool,
  name: N,
  value: Parameters<WorkerMethods[N]>[0],
): Promise<readonly unknown[]> {
  const calls = workers.map(({ rpc }) => rpc.call(name, value as never))
  const settled = await Promise.allSettled(calls)
  return settled.flatMap((call) => (call.status === 'fulfilled' ? [call.value] : []))
}
