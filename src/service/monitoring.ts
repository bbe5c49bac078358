/** The metrics of one process, and the figures of /status. */

import { type Observer, observeAll } from '../observation.ts'
import { createMetrics, type Figures, formatFigures, type ServiceState } from '../operation/metrics.ts'
import type { StatusFigures } from '../operation/status-figures.ts'
import { type FigureSources, statusFigures, storeFiguresOf } from '../operation/status-sources.ts'
import { features } from './features.ts'
import type { CreateServiceOptions } from './service-options.ts'

export interface Monitoring {
  /** Feeds the observer of the options and the metrics. */
  readonly observe: Observer
  /** The counters and gauges of this process. */
  figures(): Figures
  status(): Promise<StatusFigures>
  formatMetrics(): Promise<string>
  close(): void
}

/** The figures of all features. */
const figureSources: FigureSources = Object.assign({}, ...features.map(({ figures }) => figures))

export function startMonitoring(options: CreateServiceOptions, state: ServiceState): Monitoring {
  const { model, store, shared, backups } = options
  const metrics = options.metrics ?? createMetrics()
  const ownMetrics = options.metrics ? [] : [metrics.observe]
  const observe = observeAll([options.observe, ...ownMetrics])
  const figures = () => metrics.read(state)
  const all = async () => (await shared?.figures()) ?? figures()
  const sources = { features: figureSources, store, model, backups }
  return {
    observe,
    figures,
    status: async () => statusFigures({ ...sources, figures: await all() }),
    formatMetrics: async () => formatFigures(await all(), await storeFiguresOf(sources)),
    close: metrics.close,
  }
}
