/** Creates a service: one function from request to response, with its limits, metrics and documents. */

import type { Model } from '../definition/model.ts'
import type { Fields, Handler, HttpResponse } from '../http/message.ts'
import { withCors } from '../http/origin.ts'
import { createOverloadGuard } from '../limits/overload-guard.ts'
import { statusPage } from '../operation/status-page.ts'
import type { Refusal } from '../refusal.ts'
import { isOperatorTarget } from '../requests/decisions/rate-limits.ts'
import { finishRefusal } from '../requests/respond/finish-response.ts'
import type { Store } from '../store/store.ts'
import { withTracedCalls } from '../store/traced-store.ts'
import { type AuthenticatedCallers, createAuthenticatedCallers } from './authenticated-callers.ts'
import { type BackgroundTasks, startBackgroundTasks } from './background-tasks.ts'
import { createServiceContext } from './create-service-context.ts'
import { loadFeatures } from './loaded-features.ts'
import { type Monitoring, startMonitoring } from './monitoring.ts'
import { observeRequest } from './observed-request.ts'
import type { CreateServiceOptions } from './service-options.ts'

export interface RunningService
  extends Pick<BackgroundTasks, 'settled' | 'runSchedules' | 'queueAfterHooks'>,
    Pick<Monitoring, 'figures'> {
  readonly model: Model
  readonly store: Store
  readonly handle: Handler
  /** The callers that other programs act for. */
  readonly callers: AuthenticatedCallers
  /** Whether to refuse an arriving request, when the oldest queued one has waited so long. */
  refusesArrival(milliseconds: number): boolean
  /** Whether a request for this target is handled before all others. */
  isUrgent(target: string): boolean
  /** The response to a refusal from before a request can be handled, such as a parser error. */
  refusalResponse(refusal: Refusal, requestId: string, fields: Fields | undefined): HttpResponse
  /** Makes /health/ready refuse with this reason; requests are still handled. */
  retire(reason: string): void
  /** Waits for writes in progress, then closes the store. */
  close(): Promise<void>
}

/** Creates the service on an open store, which it closes at its end, also where the service cannot be created. */
export async function createService(given: CreateServiceOptions): Promise<RunningService> {
  const options = withTracedStore(given)
  const { model, store } = options
  await using opened = new AsyncDisposableStack()
  opened.defer(() => store.close())
  let retired: string | undefined
  let tasks: BackgroundTasks | undefined
  const overload = createOverloadGuard(options.overload)
  const monitoring = startMonitoring(options, overload)
  const { figures, observe, status, formatMetrics } = monitoring
  opened.defer(monitoring.close)
  const service = await createServiceContext(options, {
    observe,
    overload,
    wake: () => tasks?.wake(),
    operation: { status, formatMetrics, whyNotReady: () => retired },
  })
  opened.defer(() => service.files?.close())
  tasks = await startBackgroundTasks(service, options)
  opened.defer(tasks.close)
  const { code, documents, pages } = await loadFeatures(model)
  const adapter = { service, documents, features: code, pages: { ...pages, status: statusPage } }
  const parts = opened.move()
  const ending = new AbortController()
  return {
    model,
    store,
    handle: (request) => observeRequest(adapter, request),
    callers: createAuthenticatedCallers(adapter, ending.signal),
    settled: tasks.settled,
    runSchedules: tasks.runSchedules,
    queueAfterHooks: tasks.queueAfterHooks,
    refusesArrival: overload.refusesArrival,
    isUrgent: (target) => isOperatorTarget(model, target),
    refusalResponse(refusal, id, fields) {
      const accept = fields?.accept
      const response = finishRefusal(service, refusal, { id, target: undefined, accept })
      return withCors(model.origins, fields ?? {}, response)
    },
    retire(reason) {
      retired = reason
      service.changes.close()
    },
    figures,
    async close() {
      ending.abort(new Error('The service stops.'))
      service.changes.close()
      await parts.disposeAsync()
    },
  }
}

function withTracedStore(options: CreateServiceOptions): CreateServiceOptions {
  const { store, tracing } = options
  return tracing ? { ...options, store: withTracedCalls(store, tracing.tracer, tracing.database) } : options
}
