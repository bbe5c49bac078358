/** Starts the sending of webhooks on a node. */

import type { TokenContext } from '../../access/account-tokens.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { createVersionCodec } from '../../requests/events/version-token.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import { LogConsumer } from '../../work/log-consumer.ts'
import { webhookNetworks } from './check-webhooks.ts'
import { createSecretEncryption, encryptionKeyName } from './secret-encryption.ts'
import type { SendOptions } from './send-request.ts'
import { webhooksOf } from './webhook.ts'
import { createWebhookConsumer } from './webhook-consumer.ts'
import { deliveriesName } from './webhooks-resource.ts'

export interface WebhookOptions {
  /** How requests are sent; the defaults are for all but tests. `off`: they are not. */
  readonly webhooks?: Partial<Pick<SendOptions, 'timeout' | 'resolve'>> | 'off'
}

/** In milliseconds. */
const requestTimeout = 20_000

/** Starts sending in this process: items are converted to older versions by functions of the definition. */
export async function startTasks(
  { model, store, clock, observe, tracer }: ServiceContext,
  { webhooks: sending }: WebhookOptions,
): Promise<readonly BackgroundTask[]> {
  const [webhooks, deliveries] = [webhooksOf(model), model.ownTables.get(deliveriesName)]
  const { accounts, tokens } = model
  if (sending === 'off' || !webhooks || !deliveries || !accounts || !tokens) return []
  const { now } = clock
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
    sending: { timeout: requestTimeout, ...sending, networks: webhookNetworks.of(model) },
    observe,
    now,
    tracer,
  })
  return [new LogConsumer({ model, store, observe, now, tracer }, consumer)]
}
