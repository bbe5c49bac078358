/** Starts the `after` hooks of a definition on a node. */

import { setTimeout as pause } from 'node:timers/promises'
import { cursorsName, queueName } from '../../../definition/delivery-resources.ts'
import type { LogicFailure } from '../../../requests/write/logic-runner.ts'
import { schemaOf } from '../../../store/schema/model-schema.ts'
import { LogConsumer } from '../../../work/log-consumer.ts'
import { countWaiting } from '../../../work/queued-work.ts'
import { afterConsumerName } from '../consumer-names.ts'
import type { SystemContext } from '../system-access.ts'
import { createAfterConsumer } from './after-consumer.ts'
import { registerHooks } from './hook-registration.ts'

export interface AfterHookOptions {
  /** Milliseconds of an attempt; 30,000 for all but tests. */
  readonly timeout?: number
}

export interface AfterHookRunner {
  start(): void
  /** Looks for hooks to run now instead of at the next interval. */
  wake(): void
  /** Queues the hooks of all changes so far, so that entries of the log can be pruned. */
  queueAll(): Promise<void>
  /** Resolves when the hooks of all changes have run. Rejects with the failure of one that failed here. */
  settled(): Promise<void>
  /** Ends the hooks in progress; they are repeated later. */
  close(): Promise<void>
}

const attemptTime = 30_000
/** Milliseconds between looks at the queue. */
const settleInterval = 10

/** Registers the hooks; changes from now on run them, when a node is started. */
export async function createAfterHookRunner(
  service: SystemContext,
  { timeout = attemptTime }: AfterHookOptions = {},
): Promise<AfterHookRunner> {
  const { model, store, observe, clock, tracer } = service
  const [cursors, queue] = [model.ownTables.get(cursorsName), model.ownTables.get(queueName)]
  if (!cursors || !queue) throw new Error('The definition has no tables for queued work')
  const since = await registerHooks({ model, store, cursors, now: clock.now })
  const failures = new Map<string, LogicFailure>()
  const consumer = createAfterConsumer({ service, schema: schemaOf(model), since, timeout, failures })
  const runner = new LogConsumer({ model, store, observe, tracer, now: () => clock.now() }, consumer)
  return {
    start: () => runner.start(),
    wake: () => runner.wake(),
    queueAll: () => runner.queueAll(),
    async settled() {
      for (;;) {
        await runner.queueAll()
        const [failure] = failures.values()
        if (failure) throw failure
        if ((await countWaiting(store, { queue, consumer: afterConsumerName })) === 0) return
        runner.wake()
        await pause(settleInterval)
      }
    },
    close: () => runner.close(),
  }
}
