/** The code of webhooks, which services with accounts load. */

import type { RequestsPart } from '../../requests/feature-code.ts'
import type { WorkPart } from '../../work/erase-work.ts'
import { createWebhook, restartWebhook } from './create-webhook.ts'
import { webhookSecrets } from './secret-encryption.ts'
import { startTasks } from './webhook-consumer.ts'
import { ping, redeliver, rotate } from './webhook-operations.ts'
import { deliveriesTable, webhooksTable } from './webhooks-resource.ts'
import { eraseDelivery } from './work-payload.ts'

export const webhooksParts = {
  requests: {
    tables: [
      [webhooksTable, { create: createWebhook, prepareChange: restartWebhook, actions: { ping, rotate } }],
      [deliveriesTable, { actions: { redeliver } }],
    ],
    parts: [webhookSecrets],
  } satisfies RequestsPart,
  work: { erasures: { webhooks: eraseDelivery } } satisfies WorkPart,
  startTasks,
}
