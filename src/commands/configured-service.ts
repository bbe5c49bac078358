/** Creates the service of a configuration, and the listener for its connections. */

import type { Model } from '../definition/model.ts'
import type { Observer } from '../observation.ts'
import { type Config, readVariables } from '../operation/configuration/config.ts'
import type { Metrics } from '../operation/metrics.ts'
import type { OpenTracing } from '../operation/tracing/open-tracing.ts'
import { createSocketServer, type SocketServer } from '../server/request-listener.ts'
import { createService, type RunningService } from '../service/service.ts'
import type { SharedServices } from '../service/service-options.ts'
import { isPostgresUrl } from '../store/postgres/connection/database-url.ts'
import type { Store } from '../store/store.ts'
import type { DatabaseSystem } from '../store/traced-store.ts'

export interface ConfiguredServiceOptions {
  readonly config: Config
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  readonly metrics: Metrics
  /** The services that the workers of one service share. */
  readonly shared?: SharedServices
}

export interface ConfiguredService {
  readonly service: RunningService
  readonly socketServer: SocketServer
}

export async function createConfiguredService({
  config,
  shared,
  ...parts
}: ConfiguredServiceOptions): Promise<ConfiguredService> {
  const tracing = await loadTracing(config, parts.observe)
  const { rate, trusted, publicUrl, mail, pageOctets, backups, site } = config
  const service = await createService({
    model: parts.model,
    store: parts.store,
    observe: parts.observe,
    metrics: parts.metrics,
    rate,
    publicUrl,
    mail,
    variables: readVariables(parts.model.variables),
    limits: { page: pageOctets },
    files: { url: config.files, database: config.database },
    tracing: tracing && { tracer: tracing.tracer, database: databaseSystemOf(config) },
    ...(site && { site: 'elsewhere' }),
    backups,
    ...(shared && { shared }),
  })
  const socketServer = createSocketServer({ ...service, observe: parts.observe, trusted })
  return { service: tracing ? withTracingClosed(service, tracing) : service, socketServer }
}

/** Opens tracing where a collector is configured; its code is loaded only then. */
export async function loadTracing({ tracing }: Config, observe: Observer): Promise<OpenTracing | undefined> {
  if (!tracing) return undefined
  const { openTracing } = await import('../operation/tracing/open-tracing.ts')
  return openTracing(tracing, observe)
}

/** The service; closing it sends the remaining spans. */
function withTracingClosed(service: RunningService, tracing: OpenTracing): RunningService {
  return {
    ...service,
    async close() {
      await service.close()
      await tracing.close()
    },
  }
}

function databaseSystemOf({ database }: Config): DatabaseSystem {
  return isPostgresUrl(database) ? 'postgresql' : 'sqlite'
}
