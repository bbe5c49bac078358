/** A worker process: handles requests on the connections that the primary sends. */

import type { RateLimiter } from '../../limits/rate-limit.ts'
import { createGuardedAttempts } from '../../limits/sign-in-attempts.ts'
import { type Observer, observeAll } from '../../observation.ts'
import { type Config, readConfig } from '../../operation/configuration/config.ts'
import { logTo } from '../../operation/log.ts'
import { createMetrics } from '../../operation/metrics.ts'
import { createHandoffServer, type HandoffServer } from '../../server/handoff-server.ts'
import type { SocketServer } from '../../server/request-listener.ts'
import { loadDefinition } from '../../service/load-definition.ts'
import type { RunningService } from '../../service/service.ts'
import type { SharedServices } from '../../service/service-options.ts'
import { openStore } from '../../store/open-store.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import { formatSchema, type Schema } from '../../store/schema/table-schema.ts'
import { openSharedSqliteStore } from '../../store/sqlite/open-sqlite.ts'
import type { Store } from '../../store/store.ts'
import { createConfiguredService } from '../configured-service.ts'
import {
  disableParallelScavenging,
  disablePretenuring,
  ignoreSignals,
  watchProcess,
} from '../serving-process.ts'
import { receiveConnections } from './connection-handoff.ts'
import { connectRpc } from './rpc.ts'
import {
  type PrimaryMethods,
  type RateUsage,
  seqlockDescriptor,
  type WorkerMethods,
  type WorkerStart,
} from './rpc-methods.ts'

interface WorkerState {
  readonly service: RunningService
  readonly socketServer: SocketServer
  readonly server: HandoffServer
}

disablePretenuring()
disableParallelScavenging()

const sharing = createRateSharing((usage) => primary.notify('reportUsage', usage))
let state: WorkerState | undefined
let drained = false

/** Throws before the worker is ready; until then the primary calls only `start`. */
function requireRunning(): WorkerState {
  if (!state) throw new Error('The worker is not ready')
  return state
}

const primary = connectRpc<PrimaryMethods>(process, {
  start: (start) => void begin(start),
  figures: () => requireRunning().service.figures(),
  applyUsage: (usage) => sharing.apply(usage),
  retire(reason) {
    requireRunning().service.retire(reason)
    requireRunning().socketServer.beginStopping()
  },
  countConnections: () => requireRunning().server.countConnections(),
  holdResponses: () => requireRunning().server.holdResponses(),
  releaseResponses: () => requireRunning().server.releaseResponses(),
  async drain() {
    await requireRunning().server.drain()
    await requireRunning().service.close()
    drained = true
  },
} satisfies WorkerMethods)

receiveConnections(primary, (socket) => requireRunning().server.serve(socket))
// A worker cannot work without the primary.
process.once('disconnect', () => process.exit(drained ? 0 : 1))
ignoreSignals()

async function begin(start: WorkerStart): Promise<void> {
  try {
    state = await startWorker(start)
    primary.notify('ready', undefined)
  } catch (error) {
    primary.notify('failed', error instanceof Error ? error.message : String(error))
    process.disconnect?.()
  }
}

async function startWorker(start: WorkerStart): Promise<WorkerState> {
  const config = readConfig(start.args)
  const metrics = createMetrics()
  const observe = observeAll([logTo(process.stderr, config.logLevel, Date.now), metrics.observe])
  watchProcess(observe)
  const { model } = await loadDefinition(config.file)
  const schema = schemaOf(model)
  if (formatSchema(schema) !== start.schema) {
    throw new Error('The definition has changed since the service was started. Start it again.')
  }
  const store = await openWorkerStore(config, start, schema, observe)
  const parts = { config, model, store, observe, metrics, shared }
  const { service, socketServer } = await createConfiguredService(parts)
  return { service, socketServer, server: createHandoffServer(socketServer) }
}

function openWorkerStore(
  config: Config,
  { file }: WorkerStart,
  schema: Schema,
  observe: Observer,
): Promise<Store> {
  if (!file) return openStore(config.database, schema, observe, config)
  const writer = { path: file.writer, seqlockDescriptor }
  return openSharedSqliteStore({ ...file, schema, observe, writer, secretKeys: config.secretKeys })
}

const shared: SharedServices = {
  attempts: createGuardedAttempts(async (login, address) => {
    const attempt = await primary.call('enterAttempt', { login, address })
    return (failed) => primary.notify('leaveAttempt', { attempt, failed })
  }),
  shareRate: sharing.share,
  figures: () => primary.call('allFigures', undefined),
}

/**
 * One rate limit per caller across workers. Each worker counts in its own bucket and reports its
 * usage to the others every 50 ms, so no request waits for another process. Within that interval
 * a caller may exceed the limit.
 */
interface RateSharing {
  share(rate: RateLimiter): RateLimiter
  /** Counts the usage of other workers. */
  apply(usage: RateUsage): void
}

/** Milliseconds between two reports. */
const shareInterval = 50

function createRateSharing(report: (usage: RateUsage) => void): RateSharing {
  const usage = new Map<string, number>()
  let own: RateLimiter | undefined

  function flush(): void {
    const unreported = [...usage]
    usage.clear()
    report(unreported)
  }

  return {
    share(rate) {
      own = rate
      return {
        take(caller) {
          const allowance = rate.take(caller)
          if (usage.size === 0) setTimeout(flush, shareInterval).unref()
          usage.set(caller, (usage.get(caller) ?? 0) + 1)
          return allowance
        },
        spend: rate.spend,
      }
    },
    apply(others) {
      for (const [caller, count] of others) own?.spend(caller, count)
    },
  }
}
