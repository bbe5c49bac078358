/** Creates the service of a configuration, and the listener for its connections. */

import type { Config } from '../config.ts'
import type { Model } from '../definition/model.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { Observer } from '../observation.ts'
import { createSocketServer, type SocketServer } from '../server/request-listener.ts'
import { createService, type RunningService } from '../service/service.ts'
import type { SharedServices } from '../service/service-options.ts'
import type { Store } from '../store/store.ts'

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
  const { rate, trusted, publicUrl, mail, pageOctets, backups } = config
  const service = await createService({
    model: parts.model,
    store: parts.store,
    observe: parts.observe,
    metrics: parts.metrics,
    rate,
    publicUrl,
    mail,
    limits: { page: pageOctets },
    files: { url: config.files, database: config.database },
    ...(shared ? { shared } : { backups }),
  })
  const { handle, respondToRefusal: refusalResponse, refusesArrival, isUrgent } = service
  const { observe } = parts
  const socketServer = createSocketServer({
    handle,
    refusalResponse,
    refusesArrival,
    isUrgent,
    observe,
    trusted,
  })
  return { service, socketServer }
}
