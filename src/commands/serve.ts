/** `restwell serve`: opens the database, serves the definition, and stops on SIGTERM or SIGINT. */

import { observeAll } from '../observation.ts'
import type { Command } from '../operation/command-frame/command.ts'
import { readConfig } from '../operation/configuration/config.ts'
import { deferObservations, logTo } from '../operation/log.ts'
import { createMetrics } from '../operation/metrics.ts'
import { startServer } from '../server/server.ts'
import { loadDefinition } from '../service/load-definition.ts'
import { createConfiguredService } from './configured-service.ts'
import {
  type ListeningService,
  type ListenOptions,
  openConfiguredStore,
  prepareFirstStart,
} from './prepare-start.ts'
import { disablePretenuring, watchProcess } from './serving-process.ts'
import { formatFirstAccount, formatWelcome } from './welcome.ts'

export const serve: Command = {
  usage:
    '[service.ts | --service FILE] [--port PORT] [--host HOST] [--database URL] [--workers N|auto] [--trust-proxy NETWORK]',
  summary: 'Serves the definition over HTTP.',
  run: runServe,
}

async function runServe(args: readonly string[]): Promise<number> {
  disablePretenuring()
  const config = readConfig(args)
  const stopSignal = waitForSignal()
  const metrics = createMetrics()
  const log = deferObservations(logTo(process.stderr, config.logLevel, Date.now))
  const observe = observeAll([log.observe, metrics.observe])
  const definition = await loadDefinition(config.file)
  const { model } = definition
  const store = await openConfiguredStore(config, model, observe)
  const first = await prepareFirstStart({ config, definition, store })
  const options: ListenOptions = { args, config, model, store, observe, metrics }
  const listening = await listen(options).catch((error) => {
    // The account is stored, so this is the only time to show its password.
    for (const line of formatFirstAccount(first)) process.stdout.write(`${line}\n`)
    throw error
  })
  watchProcess(observe)
  log.release()
  process.stdout.write(`Listening on ${listening.url}\n`)
  process.stdout.write(formatWelcome({ config, model, url: listening.url, first }))
  observe({ kind: 'started', url: listening.url, database: config.database })
  observe({ kind: 'stopping', reason: await stopSignal })
  await listening.stop()
  observe({ kind: 'stopped' })
  return 0
}

function listen(options: ListenOptions): Promise<ListeningService> {
  return options.config.workers > 1 ? serveWithWorkers(options) : serveInOneProcess(options)
}

/** Loads the code for worker processes only when it is used. */
async function serveWithWorkers(parts: ListenOptions): Promise<ListeningService> {
  const primary = await import('./workers/primary.ts')
  return primary.serveWithWorkers(parts)
}

async function serveInOneProcess({ config, ...parts }: ListenOptions): Promise<ListeningService> {
  const { host, port } = config
  const { service, socketServer } = await createConfiguredService({ config, ...parts })
  try {
    const server = await startServer({ host, port, socketServer })
    return {
      url: server.url,
      async stop() {
        service.retire('The service is stopping.')
        await server.stop()
        await service.close()
      },
    }
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Resolves to the name of the first signal. A second signal ends the process at once. */
function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
}
