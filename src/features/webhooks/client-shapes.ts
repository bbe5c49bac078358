/** Webhooks in the types of clients. */

import type { OwnShape } from '../../describe/client/shapes.ts'
import type { Below } from '../../describe/client/types.ts'
import type {
  DeliveriesResource,
  deliveriesTable,
  WebhooksResource,
  webhooksTable,
} from './webhooks-resource.ts'

/** No interface, because those have no index signature. */
export type WebhookShapes = {
  readonly webhooks: WebhookShape
}

/**
 * Webhooks of the caller. Only the results of `create` and `rotate` contain the `secret`. `ping` sends a
 * test, and `api.webhooks.deliveries(id).redeliver(delivery, {})` a message again.
 */
type WebhookShape = OwnShape<typeof webhooksTable, WebhooksResource> & {
  readonly below: {
    readonly deliveries: Below<DeliveryShape, 'webhook'> & Pick<DeliveryShape, 'actions'>
  }
}

/** Attempts to deliver the messages of a webhook. */
type DeliveryShape = OwnShape<typeof deliveriesTable, DeliveriesResource>
