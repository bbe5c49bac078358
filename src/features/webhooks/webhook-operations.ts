/** The operations on webhooks: `ping`, `rotate`, and `redeliver` of a delivery. */

import { randomUUIDv7 } from 'node:crypto'
import { queueName } from '../../definition/delivery-resources.ts'
import { IDENTITY, type ResourceModel } from '../../definition/model.ts'
import { refuse } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { partOf } from '../../requests/context/service-part.ts'
import type { ItemTarget } from '../../requests/context/target.ts'
import { formatEntry } from '../../requests/events/stored-entry.ts'
import type { FoundItem } from '../../requests/read/current-state.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import { currentTimestamp } from '../../requests/write/prepare-insert.ts'
import { viewWithSecrets } from '../../requests/write/shown-secret.ts'
import { readField, updateFields } from '../../store/row-fields.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import { itemUri } from '../../views/uri.ts'
import { enqueueWrite, findWork, type NewWork, type QueueContext } from '../../work/queued-work.ts'
import { createWebhookSecret, webhookSecrets } from './secret-encryption.ts'
import { findWebhook } from './webhook.ts'
import { webhookConsumerName } from './webhooks-resource.ts'
import { formatPayload, parsePayload } from './work-payload.ts'

/** 202: queues a test, which is sent once; 409 where the webhook is not active. */
export function ping(
  context: RequestContext<ItemTarget>,
  { row }: Pick<FoundItem, 'row'>,
): Promise<PlannedChange> {
  const message = `msg_${randomUUIDv7()}`
  return enqueue(context, {
    subscriber: String(row[IDENTITY]),
    item: message,
    position: 0,
    payload: formatPayload({ kind: 'ping', message }),
  })
}

/** 202: queues the message again; 409 where its change is not kept any more or the webhook is not active. */
export async function redeliver(
  context: RequestContext<ItemTarget>,
  { row }: FoundItem,
): Promise<PlannedChange> {
  const { resource } = context.target
  const field = (name: string) => readField(resource, row, name)
  const [webhook, message] = [String(field('webhook')), String(field('message'))]
  if (field('position') === null) return ping(context, { row: [webhook] })
  const entry = await findEntryText(context, message, Number(field('position')))
  if (entry === undefined) {
    throw refuse('state-conflict', { detail: 'The change is not in the change log any more.' })
  }
  return enqueue(context, {
    subscriber: webhook,
    item: `redelivery ${randomUUIDv7()}`,
    position: Number(field('position')),
    payload: formatPayload({ kind: 'redelivery', message, entry }),
  })
}

/** The entry from the queue, where a message that failed is kept, else from the log. */
async function findEntryText(
  { unit }: RequestContext<ItemTarget>,
  message: string,
  position: number,
): Promise<string | undefined> {
  const { store, model } = unit
  const work = await findWork(store, queueOf(unit), message.slice('msg_'.length))
  const payload = work && parsePayload(work.payload)
  if (payload && payload.kind !== 'ping') return payload.entry
  const [entry] = await store.readChanges(position - 1, 1)
  return entry?.position === position ? formatEntry(schemaOf(model), entry) : undefined
}

async function enqueue(context: RequestContext<ItemTarget>, work: NewWork): Promise<PlannedChange> {
  const { unit, target } = context
  const write = enqueueWrite(queueOf(unit), work, currentTimestamp(unit))
  const { model } = unit
  const webhook = target.within?.resource ?? target.resource
  if (!(await findWebhook(unit.store, webhook, work.subscriber))?.isActive) {
    throw refuse('state-conflict', { detail: 'The webhook is not active. Activate it first.' })
  }
  const deliveries = `${itemUri(model, webhook, [work.subscriber])}/deliveries`
  const fields = { Location: deliveries }
  return {
    writes: [write],
    response: { status: 202, view: undefined, links: [], fields, seeOther: deliveries },
  }
}

function queueOf({ model }: RequestContext['unit']): QueueContext {
  return { queue: model.ownTables.get(queueName) as ResourceModel, consumer: webhookConsumerName }
}

/** How long the previous secret still signs, in milliseconds: a day. */
const rotationTime = 86_400_000

/** 200 with a new secret. For a day, requests are signed with both. */
export async function rotate(
  context: RequestContext<ItemTarget>,
  { row, rights }: FoundItem,
): Promise<PlannedChange> {
  const { service, target } = context
  const { resource } = target
  const secret = createWebhookSecret()
  const write = updateFields(resource, row, currentTimestamp(service), {
    secret: partOf(service, webhookSecrets).encrypt(String(row[IDENTITY]), secret),
    previousSecret: readField(resource, row, 'secret'),
    previousSecretUntil: new Date(service.clock.now() + rotationTime).toISOString(),
  })
  const view = await viewWithSecrets(context, { secrets: { secret }, values: write.values })
  return {
    writes: [{ ...write, conditionBefore: rights.update }],
    response: { status: 200, view, links: [], fields: {} },
  }
}
