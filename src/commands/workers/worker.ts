/** A worker: a process that answers the requests on the connections it is handed. */

import { Socket } from 'node:net'
import { createGuardedAttempts } from '../../access/sign-in-attempts.ts'
import { type Config, readConfig } from '../../config.ts'
import { logTo } from '../../observability/log.ts'
import { createMetrics } from '../../observability/metrics.ts'
import { type Observer, observeAll } from '../../observation.ts'
import { createHandoffServer, type HandoffServer } from '../../server/handoff-server.ts'
import { createSocketServer, type SocketServer } from '../../server/request-listener.ts'
import { createService, type RunningService, type SharedServices } from '../../service/service.ts'
import { openStore } from '../../store/open-store.ts'
import { formatSchema, type Schema, schemaOf } from '../../store/schema/table-schema.ts'
import { joinSqliteStore } from '../../store/sqlite/open-sqlite.ts'
import type { Store } from '../../store/store.ts'
import { loadDefinition } from '../load-definition.ts'
import { collectAlone, keepRequestsYoung, watchProcess } from '../process-settings.ts'
import { rateSharing } from './rate-sharing.ts'
import { type Channel, connectRpc } from './rpc.ts'
import {
  MOMENT_FD,
  type PrimaryMethods,
  type WorkerBeginning,
  type WorkerMethods,
} from './rpc-methods.ts'

interface Post {
  readonly service: RunningService
  readonly socketServer: SocketServer
  readonly server: HandoffServer
}

keepRequestsYoung()
collectAlone()

const sharing = rateSharing((usage) => primary.tell('took', usage))
let post: Post | undefined
let drained = false

/** Nothing but `begin` is asked before the worker has said that it is ready. */
function manned(): Post {
  if (!post) throw new Error('The worker is not ready')
  return post
}

// A process that was forked has a channel.
const primary = connectRpc<PrimaryMethods>(process as unknown as Channel, {
  begin: (start) => void begin(start),
  figures: () => manned().service.figures(),
  takeSlice: () => manned().service.takeSlice(),
  spend: (usage) => sharing.spend(usage),
  retire(reason) {
    manned().service.retire(reason)
    manned().socketServer.beginStopping()
  },
  countConnections: () => manned().server.count(),
  holdAnswers: () => manned().server.hold(),
  releaseAnswers: () => manned().server.release(),
  async drain() {
    await manned().server.drain()
    await manned().service.close()
    drained = true
  },
} satisfies WorkerMethods)

process.on('message', (message: { readonly kind: string }, socket) => {
  if (message.kind !== 'connection') return
  primary.tell('arrived', undefined)
  // One that was closed on the way is not there.
  if (socket instanceof Socket) manned().server.take(socket)
})
// Without the primary there is neither a writer nor anyone who would hand over connections.
process.once('disconnect', () => process.exit(drained ? 0 : 1))
// A terminal sends its signals to all processes; the primary says when to stop, and how.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => undefined)

async function begin(start: WorkerBeginning): Promise<void> {
  try {
    post = await manPost(start)
    primary.tell('ready', undefined)
  } catch (error) {
    primary.tell('failed', error instanceof Error ? error.message : String(error))
    process.disconnect?.()
  }
}

async function manPost(start: WorkerBeginning): Promise<Post> {
  const config = readConfig(start.args)
  const metrics = createMetrics()
  const observe = observeAll([logTo(process.stderr, config.logLevel, Date.now), metrics.observe])
  watchProcess(observe)
  const { model } = await loadDefinition(config.file)
  const schema = schemaOf(model)
  if (formatSchema(schema) !== start.schema) {
    throw new Error('The definition has changed since the service was started. Start it again.')
  }
  const store = await openedStore(config, start, schema, observe)
  const { rate, trusted, publicUrl, pageOctets } = config
  const limits = { page: pageOctets }
  const parts = { model, store, observe, metrics, rate, publicUrl, limits, common }
  const service = await createService(parts)
  const { handle, respondToRefusal: refusalResponse, refusesArrival, isUrgent } = service
  const socketServer = createSocketServer({
    handle,
    refusalResponse,
    refusesArrival,
    isUrgent,
    observe,
    trusted,
  })
  return { service, socketServer, server: createHandoffServer(socketServer) }
}

function openedStore(
  { database, replicas }: Config,
  { file }: WorkerBeginning,
  schema: Schema,
  observe: Observer,
): Promise<Store> {
  if (!file) return openStore(database, schema, observe, replicas)
  const writer = { path: file.writer, moment: MOMENT_FD }
  return joinSqliteStore({ ...file, schema, observe, writer })
}

const common: SharedServices = {
  attempts: createGuardedAttempts(async (login, address) => {
    const attempt = await primary.call('enterAttempt', { login, address })
    return (failed) => primary.tell('leaveAttempt', { attempt, failed })
  }),
  shareRate: sharing.share,
  status: () => primary.call('status', undefined),
  formatMetrics: () => primary.call('formatMetrics', undefined),
}
