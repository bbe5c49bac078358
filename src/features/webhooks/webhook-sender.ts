/** Starts the sending of webhooks on a node. */

import type { TokenContext } from '../../access/account-tokens.ts'
import type { Model } from '../../definition/model.ts'
import type { Observer } from '../../observation.ts'
import { createVersionCodec } from '../../requests/events/version-token.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import type { Store } from '../../store/store.ts'
import type { Tracer } from '../../tracer.ts'
import { LogConsumer } from '../../work/log-consumer.ts'
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
  return { wake: () => sender.wake(), close: () => sender.close() }
}
