/** Starts the sending of mails on a node. */

import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import { mailConsumerName } from '../../work/change-consumer.ts'
import { idleInterval, PollLoop } from '../../work/poll-loop.ts'
import { WorkRunner } from '../../work/work-runner.ts'
import { createMailConsumer } from './mail-consumer.ts'
import { mailTablesOf } from './mail-record.ts'
import { createMailTransport } from './mail-transport.ts'

export interface MailSender {
  /** Looks for mails to send now instead of at the next interval. */
  wake(): void
  /** Ends after the attempts in progress. */
  close(): Promise<void>
}

/** Starts sending by the server at this URL; undefined for a service without mail, or without a server. */
export async function startMails(
  service: ServiceContext,
  url: string | undefined,
): Promise<MailSender | undefined> {
  const { model, store, clock, observe, publicUrl, mailKey: key } = service
  const tables = mailTablesOf(model)
  if (!tables) return undefined
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
  loop.start()
  return {
    wake: () => loop.wake(),
    async close() {
      await loop.close()
      await runner?.close()
    },
  }

  async function createRunner(): Promise<WorkRunner | undefined> {
    if (!tables || !tokens || url === undefined || publicUrl === undefined) return undefined
    const transport = await createMailTransport(url)
    const context = { model, store, tables, key, publicUrl, now }
    const consumer = createMailConsumer({ ...context, tokens, transport, observe })
    return new WorkRunner({ store, context: tables.queue, consumer, now, report, onEnd: () => loop.wake() })
  }
}
