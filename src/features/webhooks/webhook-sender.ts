/** Starts the sending of webhooks on a node, and the pruning of its records. */

import type { TokenContext } from '../../access/account-tokens.ts'
import { queueName } from '../../definition/delivery-resources.ts'
import type { Model, ResourceModel } from '../../definition/model.ts'
import type { Observer } from '../../observation.ts'
import { repeatTask } from '../../operation/repeated-task.ts'
import { createVersionCodec } from '../../requests/events/version-token.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import type { Store } from '../../store/store.ts'
import type { Tracer } from '../../tracer.ts'
import { webhookConsumerName } from '../../work/change-consumer.ts'
import { LogConsumer } from '../../work/log-consumer.ts'
import { pruneParked } from '../../work/queued-work.ts'
import { pruneDeliveries } from './delivery-record.ts'
import { createSecretEncryption } from './secret-encryption.ts'
import type { SendOptions } from './send-request.ts'
import { webhooksOf } from './webhook.ts'
import { createWebhookConsumer } from './webhook-consumer.ts'
import { deliveriesName } from './webhooks-resource.ts'

export interface WebhookSender {
  /** Looks for changes to send now instead of at the next interval. */
  wake(): void
  /** Ends the requests in progress; they are repeated later. */
  close(): Promise<void>
}

export interface WebhookSenderOptions {
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  readonly now: () => number
  readonly tracer?: Tracer | undefined
  /** How requests are sent; the defaults are for all but tests. */
  readonly sending?: Partial<Pick<SendOptions, 'timeout' | 'resolve'>> | undefined
}

/** The name of the key that secrets are encrypted with. */
export const encryptionKeyName = 'webhooks'

/** In milliseconds. */
const requestTimeout = 20_000
const pruneInterval = 600_000
const maxPruned = 100

/** Starts sending; undefined for a service without accounts. */
export async function startWebhooks(options: WebhookSenderOptions): Promise<WebhookSender | undefined> {
  const { model, store, observe, now, sending, tracer } = options
  const [webhooks, deliveries] = [webhooksOf(model), model.ownTables.get(deliveriesName)]
  const { accounts, tokens } = model
  if (!webhooks || !deliveries || !accounts || !tokens) return undefined
  const tokenContext: TokenContext = { resource: tokens, accounts, store, now, observe }
  const consumer = createWebhookConsumer({
    model,
    store,
    schema: schemaOf(model),
    webhooks,
    deliveries,
    tokens: tokenContext,
    versions: createVersionCodec(await store.loadSecret('versions')),
    encryption: createSecretEncryption(await store.loadSecret(encryptionKeyName)),
    sending: { timeout: requestTimeout, ...sending, networks: model.webhookNetworks },
    observe,
    now,
    tracer,
  })
  const sender = new LogConsumer({ model, store, observe, now, tracer }, consumer)
  sender.start()
  const run = () => prune(options, deliveries)
  const stopPruning = repeatTask({ name: 'webhook-pruning', interval: pruneInterval, run }, observe)
  return {
    wake: () => sender.wake(),
    async close() {
      stopPruning()
      await sender.close()
    },
  }
}

/** Deletes records and parked messages that are older than the change log is kept. */
async function prune({ model, store, now }: WebhookSenderOptions, deliveries: ResourceModel): Promise<void> {
  const step = { before: new Date(now() - model.logRetention * 1000).toISOString(), limit: maxPruned }
  while ((await pruneDeliveries(store, deliveries, step)) === maxPruned);
  const queue = model.ownTables.get(queueName)
  if (!queue) return
  while ((await pruneParked(store, { queue, consumer: webhookConsumerName }, step)) === maxPruned);
}
