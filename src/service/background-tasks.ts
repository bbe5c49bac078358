/** The work of a service beside handling requests: hooks, schedules, jobs, webhooks, and care of the log and of files. */

import { startCollectingFiles } from '../features/files/service-files.ts'
import { loadAfterHookRunner, loadJobRunner, loadScheduleRunner } from '../features/logic/load-logic.ts'
import { startMails } from '../features/mail/mail-sender.ts'
import { startWebhooks, type WebhookSender } from '../features/webhooks/webhook-sender.ts'
import { startAuditSealing } from '../operation/audit-sealing.ts'
import type { ServiceContext } from '../requests/context/service-context.ts'
import { startPruning } from './pruning.ts'
import type { CreateServiceOptions } from './service-options.ts'

/** Milliseconds from a write to the start of its work, which later writes in that time share. Responses are sent first. */
const gatheringTime = 10

export interface BackgroundTasks {
  /** To be called after a write in this process, so that its work begins soon. */
  wake(): void
  /** Resolves when all jobs have ended and the `after` hooks of all changes have run. Rejects with the failure of one. */
  settled(): Promise<void>
  /** Runs the schedules that are due until a time; `advance` sets the clock. */
  runSchedules(until: number, advance: (now: number) => void): Promise<void>
  /** Queues the `after` hooks of all changes so far, so that the change log can be pruned. */
  queueAfterHooks(): Promise<void>
  close(): Promise<void>
}

/** Starts them. Where processes share a service, the primary process has the tasks that one does for all. */
export async function startBackgroundTasks(
  service: ServiceContext,
  options: CreateServiceOptions,
): Promise<BackgroundTasks> {
  // Registered before the first request, so that no change is missed.
  const afterHooks = await loadAfterHookRunner(service, options.after)
  const schedules = await loadScheduleRunner(service)
  const jobs = await loadJobRunner(service)
  const mails = await startMails(service, options.mail === 'page' ? undefined : options.mail)
  const webhooks = await startWebhookSender(service, options)
  const queueAfterHooks = async () => afterHooks?.queueAll()
  const single = options.shared ? undefined : await startSingleTasks(service, queueAfterHooks)
  afterHooks?.start()
  if (options.schedules !== 'asked') schedules?.start()
  jobs?.start()
  let gathering: NodeJS.Timeout | undefined
  const beginWork = () => {
    gathering = undefined
    for (const task of [afterHooks, jobs, mails, webhooks]) task?.wake()
  }
  return {
    wake() {
      gathering ??= setTimeout(beginWork, gatheringTime).unref()
    },
    async settled() {
      await jobs?.settled()
      await afterHooks?.settled()
    },
    runSchedules: async (until, advance) => schedules?.runUntil(until, advance),
    queueAfterHooks,
    async close() {
      clearTimeout(gathering)
      await single?.close()
      await webhooks?.close()
      await afterHooks?.close()
      await schedules?.close()
      await jobs?.close()
      await mails?.close()
    },
  }
}

/** Each process sends: items are converted to older versions by functions of the definition. */
async function startWebhookSender(
  { model, store, clock, observe, tracer }: ServiceContext,
  { webhooks: sending }: CreateServiceOptions,
): Promise<WebhookSender | undefined> {
  if (sending === 'off') return undefined
  return startWebhooks({ model, store, observe, tracer, now: clock.now, sending })
}

/** Starts the tasks that one process does for all. They evaluate no function of the definition. */
async function startSingleTasks(
  { model, store, expiryClock, observe, files }: ServiceContext,
  queueWork: () => Promise<void>,
): Promise<Pick<BackgroundTasks, 'close'>> {
  const stopPruning = startPruning({ model, store, clock: expiryClock, queueWork }, observe)
  const stopSealing = startAuditSealing(store.audit, model, observe)
  const stopCollecting = await startCollectingFiles({ model, store, clock: expiryClock, observe }, files)
  return {
    async close() {
      stopPruning()
      stopSealing()
      await stopCollecting()
    },
  }
}
