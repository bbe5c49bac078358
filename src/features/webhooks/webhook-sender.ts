/** Starts the sending of webhooks on a node. */

import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import { partOf } from '../../requests/context/service-part.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import { LogConsumer } from '../../work/log-consumer.ts'
import { webhookNetworks } from './check-webhooks.ts'
import { webhookSecrets } from './secret-encryption.ts'
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
  service: ServiceContext,
  { webhooks: sending }: WebhookOptions,
): Promise<readonly BackgroundTask[]> {
  const { model, store, clock, observe, tracer } = service
  const [webhooks, deliveries] = [webhooksOf(model), model.ownTables.get(deliveriesName)]
  if (sending === 'off' || !webhooks || !deliveries) return []
  const { now } = clock
  const consumer = createWebhookConsumer({
    model,
    store,
    schema: schemaOf(model),
    webhooks,
    deliveries,
    tokens: accountsOf(service).tokens,
    versions: service.changes.versions,
    encryption: partOf(service, webhookSecrets),
    sending: { timeout: requestTimeout, ...sending, networks: webhookNetworks.of(model) },
    observe,
    now,
    tracer,
  })
  return [new LogConsumer({ model, store, observe, now, tracer }, consumer)]
}
