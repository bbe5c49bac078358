/** The metrics and the history of figures of one process. */

import { type Observer, observeAll } from '../observation.ts'
import { createHistory, type HistorySlice } from '../operation/history.ts'
import { createMetrics, type Figures, formatFigures, type ServiceState } from '../operation/metrics.ts'
import type { StatusFigures } from '../operation/status-figures.ts'
import { type FigureSources, sizeOf, statusFigures, storeFiguresOf } from '../operation/status-sources.ts'
import { features } from './features.ts'
import type { CreateServiceOptions } from './service-options.ts'

export interface Monitoring {
  /** Feeds the observer of the options, the metrics and the history. */
  readonly observe: Observer
  /** The counters and gauges of this process. */
  figures(): Figures
  /** The figures since the last call. */
  takeSlice(): HistorySlice
  status(): Promise<StatusFigures>
  formatMetrics(): Promise<string>
  close(): void
}

/** The figures of all features. */
export const figureSources: FigureSources = Object.assign({}, ...features.map(({ figures }) => figures))

/** Starts it. Processes that share a service have their figures in the history of the primary process. */
export function startMonitoring(options: CreateServiceOptions, state: ServiceState): Monitoring {
  const { model, store, shared, backups } = options
  const metrics = options.metrics ?? createMetrics()
  const history = createHistory()
  const ownMetrics = options.metrics ? [] : [metrics.observe]
  const observe = observeAll([options.observe, history.observe, ...ownMetrics])
  const figures = () => metrics.read(state)
  if (!shared) history.start(() => sizeOf(store), observe)
  return {
    observe,
    figures,
    takeSlice: history.take,
    status:
      shared?.status ??
      (() =>
        statusFigures({
          features: figureSources,
          history,
          store,
          model,
          backups,
          figures: figures(),
        })),
    formatMetrics:
      shared?.formatMetrics ??
      (async () =>
        formatFigures(figures(), await storeFiguresOf({ features: figureSources, store, model, backups }))),
    close() {
      metrics.close()
      history.close()
    },
  }
}
