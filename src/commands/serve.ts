/** `restwell serve`: opens the database, starts the service, and stops it when told to. */

import { type Config, ConfigFault, readConfig } from '../config.ts'
import type { Model } from '../declare/model.ts'
import {
  type FirstAccount,
  FirstStartFault,
  isUnused,
  makeFirstAccount,
  writeSample,
} from '../first-start.ts'
import { type Notice, noticeAll } from '../http/happening.ts'
import { withoutCredentials } from '../observe/entry.ts'
import { heldBack, logTo } from '../observe/log.ts'
import { createMetrics, type Metrics } from '../observe/metrics.ts'
import { createWire } from '../serve/listener.ts'
import { type RunningServer, startServer } from '../serve/server.ts'
import { createService, type Service } from '../service.ts'
import { openStore } from '../store/open.ts'
import { schemaOf } from '../store/schema.ts'
import { type Store, StoreFault, StoreTrouble } from '../store/store.ts'
import { type Command, CommandFault } from './command.ts'
import { type LoadedDefinition, loadDefinition } from './definition.ts'
import { welcome } from './welcome.ts'

export const serve: Command = {
  usage: '[service.ts] [--port PORT] [--host HOST] [--database URL] [--trust-proxy NETWORK]',
  summary: 'Serves the resources that the file defines.',
  run: runServe,
}

async function runServe(args: readonly string[]): Promise<number> {
  const config = configured(args)
  const stopSignal = untilSignal()
  const metrics = createMetrics()
  const log = heldBack(logTo(process.stderr, config.logLevel, Date.now))
  const notice = noticeAll([log.notice, metrics.notice])
  const definition = await loadDefinition(config.file)
  const store = await opened(config, definition.model, notice)
  const { first, service } = await begun({ config, definition, store, notice, metrics })
  const server = await listening(config, service, notice)
  watchProcess(notice)
  log.release()
  process.stdout.write(`Listening on ${server.url}\n`)
  process.stdout.write(welcome({ config, model: definition.model, url: server.url, first }))
  notice({ kind: 'started', url: server.url, database: config.database })
  await stop(await stopSignal, { server, service, notice })
  return 0
}

function configured(args: readonly string[]): Config {
  try {
    return readConfig(args)
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error
    throw new CommandFault(error.message, { cause: error })
  }
}

async function opened(config: Config, model: Model, notice: Notice): Promise<Store> {
  try {
    return await openStore(config.database, schemaOf(model), notice, config.replicas)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    throw new CommandFault(error.message, { cause: error })
  }
}

interface Beginning {
  readonly config: Config
  readonly definition: LoadedDefinition
  readonly store: Store
  readonly notice: Notice
  readonly metrics: Metrics
}

/** The first rows, and the service on top of them. */
async function begun({ config, definition, store, notice, metrics }: Beginning) {
  try {
    const first = await prepare(definition, store, config)
    const { rate } = config
    const service = await createService({ model: definition.model, store, notice, metrics, rate })
    return { first, service }
  } catch (error) {
    await store.close()
    if (error instanceof FirstStartFault) throw new CommandFault(error.message, { cause: error })
    if (!(error instanceof StoreTrouble)) throw error
    const name = withoutCredentials(config.database)
    const remedy = 'Make room or mend the disk, and start again.'
    throw new CommandFault(`${name} cannot be written. ${error.message} ${remedy}`, {
      cause: error,
    })
  }
}

async function prepare(
  { model, sample }: LoadedDefinition,
  store: Store,
  config: Config,
): Promise<FirstAccount | undefined> {
  return store.alone(async () => {
    const unused = await isUnused(store)
    const first = await makeFirstAccount(model, store, config.admin)
    if (unused && sample && config.sample) await writeSample(model, store, sample)
    return first
  })
}

async function listening(
  { host, port, trusted }: Config,
  service: Service,
  notice: Notice,
): Promise<RunningServer> {
  const wire = createWire({
    handle: service.handle,
    refusalResponse: service.answerRefusal,
    notice,
    trusted,
  })
  try {
    return await startServer({ host, port, wire })
  } catch (error) {
    await service.close()
    throw new CommandFault(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** A bug outside any request ends the process, but not without a line in the log. */
function watchProcess(notice: Notice): void {
  process.once('uncaughtException', (cause) => {
    notice({ kind: 'crash', cause })
    process.exit(1)
  })
  // Whoever read the log or the output is gone: nobody is left to tell, and requests go on.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}

/** Listened for from the beginning, so that one that comes early is obeyed; a second one kills. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
}

interface Running {
  readonly server: RunningServer
  readonly service: Service
  readonly notice: Notice
}

/** Drains: what was accepted is answered, what was acknowledged is durable. */
async function stop(reason: string, { server, service, notice }: Running): Promise<void> {
  notice({ kind: 'stopping', reason })
  service.retire('The service is stopping.')
  await server.stop()
  await service.close()
  notice({ kind: 'stopped' })
}
