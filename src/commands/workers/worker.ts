/** A worker: a process that answers the requests on the connections it is handed. */

import { Socket } from 'node:net'
import { attemptsBy } from '../../access/attempts.ts'
import { type Config, readConfig } from '../../config.ts'
import { type Notice, noticeAll } from '../../http/happening.ts'
import { logTo } from '../../observe/log.ts'
import { createMetrics } from '../../observe/metrics.ts'
import { createHandedServer, type HandedServer } from '../../serve/handed.ts'
import { createWire, type SocketSide } from '../../serve/listener.ts'
import { type Common, createService, type Service } from '../../service.ts'
import { openStore } from '../../store/open.ts'
import { formatSchema, type Schema, schemaOf } from '../../store/schema.ts'
import { joinSqliteStore } from '../../store/sqlite/open.ts'
import type { Store } from '../../store/store.ts'
import { loadDefinition } from '../definition.ts'
import { collectAlone, keepRequestsYoung, watchProcess } from '../process.ts'
import { type Channel, converse } from './dialogue.ts'
import { MOMENT_FD, type PrimaryDuties, type WorkerBeginning, type WorkerDuties } from './duties.ts'
import { rateSharing } from './rate-sharing.ts'

interface Post {
  readonly service: Service
  readonly wire: SocketSide
  readonly server: HandedServer
}

keepRequestsYoung()
collectAlone()

const sharing = rateSharing((takes) => primary.tell('took', takes))
let post: Post | undefined
let drained = false

/** Nothing but `begin` is asked before the worker has said that it is ready. */
function manned(): Post {
  if (!post) throw new Error('The worker is not ready')
  return post
}

// A process that was forked has a channel.
const primary = converse<PrimaryDuties>(process as unknown as Channel, {
  begin: (beginning) => void begin(beginning),
  figures: () => manned().service.figures(),
  takeSlice: () => manned().service.takeSlice(),
  spend: (takes) => sharing.spend(takes),
  retire(reason) {
    manned().service.retire(reason)
    manned().wire.beginStopping()
  },
  countConnections: () => manned().server.count(),
  holdAnswers: () => manned().server.hold(),
  releaseAnswers: () => manned().server.release(),
  async drain() {
    await manned().server.drain()
    await manned().service.close()
    drained = true
  },
} satisfies WorkerDuties)

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

async function begin(beginning: WorkerBeginning): Promise<void> {
  try {
    post = await manPost(beginning)
    primary.tell('ready', undefined)
  } catch (error) {
    primary.tell('failed', error instanceof Error ? error.message : String(error))
    process.disconnect?.()
  }
}

async function manPost(beginning: WorkerBeginning): Promise<Post> {
  const config = readConfig(beginning.args)
  const metrics = createMetrics()
  const notice = noticeAll([logTo(process.stderr, config.logLevel, Date.now), metrics.notice])
  watchProcess(notice)
  const { model } = await loadDefinition(config.file)
  const schema = schemaOf(model)
  if (formatSchema(schema) !== beginning.schema) {
    throw new Error('The definition has changed since the service was started. Start it again.')
  }
  const store = await openedStore(config, beginning, schema, notice)
  const { rate, trusted, publicUrl, pageOctets } = config
  const limits = { page: pageOctets }
  const parts = { model, store, notice, metrics, rate, publicUrl, limits, common }
  const service = await createService(parts)
  const { handle, answerRefusal: refusalResponse, refusesArrival, isUrgent } = service
  const wire = createWire({
    handle,
    refusalResponse,
    refusesArrival,
    isUrgent,
    notice,
    trusted,
  })
  return { service, wire, server: createHandedServer(wire) }
}

function openedStore(
  { database, replicas }: Config,
  { file }: WorkerBeginning,
  schema: Schema,
  notice: Notice,
): Promise<Store> {
  if (!file) return openStore(database, schema, notice, replicas)
  const writer = { path: file.writer, moment: MOMENT_FD }
  return joinSqliteStore({ ...file, schema, notice, writer })
}

const common: Common = {
  attempts: attemptsBy(async (login, address) => {
    const attempt = await primary.call('enterAttempt', { login, address })
    return (failed) => primary.tell('leaveAttempt', { attempt, failed })
  }),
  shareRate: sharing.share,
  status: () => primary.call('status', undefined),
  formatMetrics: () => primary.call('formatMetrics', undefined),
}
