/** Requests on webhooks and their deliveries. */

import fc from 'fast-check'
import { type Kind, request, type World } from './step.ts'
import { anyTag } from './targets.ts'

export const webhooks = {
  'a new or changed webhook': (world) =>
    fc.oneof(
      request(world, fc.constant('POST /webhooks'), fc.constant({}), anyWebhook),
      request(
        world,
        fc.constantFrom(...world.webhooks).map((id) => `PATCH /webhooks/${id}`),
        anyTag,
        fc.constantFrom({ active: true }, { active: false }, { owner: 'x' }, { secret: 'x' }),
      ),
    ),
  'a delivery of a webhook': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'DELETE'), anyDelivery(world))
        .map(([method, uri]) => `${method} ${uri}`),
    ),
  'an operation on a webhook or a delivery': (world) =>
    request(
      world,
      fc.oneof(
        fc
          .tuple(fc.constantFrom(...world.webhooks), fc.constantFrom('ping', 'rotate', 'redeliver'))
          .map(([id, name]) => `POST /webhooks/${id}/${name}`),
        anyDelivery(world).map((uri) => `POST ${uri}/redeliver`),
      ),
      anyTag,
    ),
} satisfies Readonly<Record<string, Kind>>

const anyWebhook = fc.record({
  url: fc.constantFrom('https://hooks.example/', 'https://127.0.0.1/', 'x'),
  events: fc.constantFrom(['articles.created'], ['notes.*'], ['vaults.*'], ['nothing.*'], []),
})

function anyDelivery(world: World): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...world.webhooks), fc.constantFrom(...world.deliveries))
    .map(([id, delivery]) => `/webhooks/${id}/deliveries/${delivery}`)
}
