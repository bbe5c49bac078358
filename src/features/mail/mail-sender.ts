/** Starts the sending of mails on a node. */

import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import { partOf } from '../../requests/context/service-part.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import { idleInterval, PollLoop } from '../../work/poll-loop.ts'
import { WorkRunner } from '../../work/work-runner.ts'
import { createMailConsumer } from './mail-consumer.ts'
import { mailPart } from './mail-context.ts'
import { mailTablesOf } from './mail-record.ts'
import { createMailTransport } from './mail-transport.ts'
import { mailConsumerName } from './mails-resource.ts'

/** Starts sending by the server; none for a service without mail. Without a server mails wait. */
export async function startTasks(
  service: ServiceContext,
  { mail: url }: { readonly mail?: string | undefined },
): Promise<readonly BackgroundTask[]> {
  const { model, store, clock, observe, publicUrl } = service
  const tables = mailTablesOf(model)
  if (!tables) return []
  const { key, isShown } = partOf(service, mailPart)
  const { tokens } = accountsOf(service)
  const { now } = clock
  const report = (cause: unknown) => {
    if (!loop.isClosed) observe({ kind: 'task-failed', task: mailConsumerName, cause })
  }
  const runner = await createRunner()
  const loop: PollLoop = new PollLoop({
    step: async () => ((await runner?.beginDue()) ? 0 : idleInterval),
    report,
  })
  const task: BackgroundTask = {
    start: () => loop.start(),
    wake: () => loop.wake(),
    async close() {
      await loop.close()
      await runner?.close()
    },
  }
  return [task]

  async function createRunner(): Promise<WorkRunner | undefined> {
    if (!tables || !tokens || isShown || url === undefined || publicUrl === undefined) return undefined
    const transport = await createMailTransport(url)
    const context = { model, store, tables, key, publicUrl, now }
    const consumer = createMailConsumer({ ...context, tokens, transport, observe })
    return new WorkRunner({ store, context: tables.queue, consumer, now, report, onEnd: () => loop.wake() })
  }
}
