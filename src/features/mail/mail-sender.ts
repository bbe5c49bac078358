/** Starts the sending of mails on a node, and deletes the rows of old ones. */

import { IDENTITY, type ResourceModel } from '../../definition/model.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { always } from '../../store/condition.ts'
import { versionOf } from '../../store/row.ts'
import type { Store } from '../../store/store.ts'
import { mailConsumerName } from '../../work/change-consumer.ts'
import { idleInterval, PollLoop } from '../../work/poll-loop.ts'
import { pruneParked } from '../../work/queued-work.ts'
import { WorkRunner } from '../../work/work-runner.ts'
import { invitationsOf } from './invitations/invitations-resource.ts'
import { createMailConsumer } from './mail-consumer.ts'
import { mailTablesOf } from './mail-record.ts'
import { createMailTransport } from './mail-transport.ts'

export interface MailSender {
  /** Looks for mails to send now instead of at the next interval. */
  wake(): void
  /** Ends after the attempts in progress. */
  close(): Promise<void>
}

/** In milliseconds. */
const pruneInterval = 600_000
const parkedTime = 7 * 86_400_000
/** Rows that are deleted at a time. */
const maxPruned = 100

/** Starts sending by the server at this URL; undefined for a service without mail, or without a server. */
export async function startMails(
  service: ServiceContext,
  url: string | undefined,
): Promise<MailSender | undefined> {
  const { model, store, clock, observe, publicUrl, mailKey: key, tokens } = service
  const tables = mailTablesOf(model)
  if (!tables || !tokens) return undefined
  const { now } = clock
  let prunedAt = Number.NEGATIVE_INFINITY
  const prune = async () => {
    if (now() - prunedAt < pruneInterval) return
    prunedAt = now()
    for (const resource of [tables.mails, invitationsOf(model)]) {
      while (resource && (await pruneExpired(store, resource, now())) === maxPruned);
    }
    // A notice that the mail server refuses is not of use later.
    const step = { before: new Date(now() - parkedTime).toISOString(), limit: maxPruned }
    while ((await pruneParked(store, tables.queue, step)) === maxPruned);
  }
  const report = (cause: unknown) => {
    if (!loop.isClosed) observe({ kind: 'task-failed', task: mailConsumerName, cause })
  }
  const runner = await createRunner()
  const loop: PollLoop = new PollLoop({
    async step() {
      await prune()
      return (await runner?.beginDue()) ? 0 : idleInterval
    },
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

/** Deletes mails or invitations that have expired an hour ago; returns their number. */
async function pruneExpired(store: Store, resource: ResourceModel, now: number): Promise<number> {
  const before = new Date(now - 3_600_000).toISOString()
  const rows = await store.list({
    table: resource.name,
    condition: { kind: 'compare', path: ['expiresAt'], operator: 'lt', values: [before] },
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: maxPruned,
    evaluated: [],
  })
  const at = new Date(now).toISOString()
  const deletions = rows.map((row) => ({
    kind: 'delete' as const,
    table: resource.name,
    identity: String(row[IDENTITY]),
    version: versionOf(row),
    conditionBefore: always,
    at,
  }))
  if (deletions.length > 0) await store.write(deletions, { actor: { name: 'expiry' } })
  return rows.length
}
