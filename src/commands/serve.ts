/** `restwell serve`: opens the database, starts the service, and stops it when told to. */

import { noticeAll } from '../http/happening.ts'
import { heldBack, logTo } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { createWire } from '../serve/listener.ts'
import { startServer } from '../serve/server.ts'
import { createService } from '../service.ts'
import { type Command, CommandFault } from './command.ts'
import { loadDefinition } from './definition.ts'
import { configured, opened, prepared, type Serving, type ServingParts } from './opening.ts'
import { keepRequestsYoung, watchProcess } from './process.ts'
import { welcome } from './welcome.ts'

export const serve: Command = {
  usage:
    '[service.ts] [--port PORT] [--host HOST] [--database URL] [--workers N|auto] [--trust-proxy NETWORK]',
  summary: 'Serves the resources that the file defines.',
  run: runServe,
}

async function runServe(args: readonly string[]): Promise<number> {
  keepRequestsYoung()
  const config = configured(args)
  const stopSignal = untilSignal()
  const metrics = createMetrics()
  const log = heldBack(logTo(process.stderr, config.logLevel, Date.now))
  const notice = noticeAll([log.notice, metrics.notice])
  const definition = await loadDefinition(config.file)
  const { model } = definition
  const store = await opened(config, model, notice)
  const first = await prepared({ config, definition, store })
  const parts: ServingParts = { args, config, model, store, notice, metrics }
  const serving = await (config.workers > 1 ? serveWithWorkers(parts) : serveAlone(parts))
  watchProcess(notice)
  log.release()
  process.stdout.write(`Listening on ${serving.url}\n`)
  process.stdout.write(welcome({ config, model, url: serving.url, first }))
  notice({ kind: 'started', url: serving.url, database: config.database })
  notice({ kind: 'stopping', reason: await stopSignal })
  await serving.stop()
  notice({ kind: 'stopped' })
  return 0
}

/** Others answer them. What that takes is loaded only then. */
async function serveWithWorkers(parts: ServingParts): Promise<Serving> {
  const primary = await import('./workers/primary.ts')
  return primary.serveWithWorkers(parts)
}

/** This process answers all requests itself. */
async function serveAlone({ config, ...parts }: ServingParts): Promise<Serving> {
  const { host, port, trusted, rate, publicUrl, pageOctets } = config
  const limits = { page: pageOctets }
  const service = await createService({ ...parts, rate, publicUrl, limits })
  const { notice } = parts
  const { handle, answerRefusal: refusalResponse, refusesArrival, isUrgent } = service
  const wire = createWire({
    handle,
    refusalResponse,
    refusesArrival,
    isUrgent,
    notice,
    trusted,
  })
  try {
    const server = await startServer({ host, port, wire })
    return {
      url: server.url,
      /** Drains: what was accepted is answered, what was acknowledged is durable. */
      async stop() {
        service.retire('The service is stopping.')
        await server.stop()
        await service.close()
      },
    }
  } catch (error) {
    await service.close()
    throw new CommandFault(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** Listened for from the beginning, so that one that comes early is obeyed; a second one kills. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
}
