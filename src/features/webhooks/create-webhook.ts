/** POST /webhooks: creates a webhook. Its secret is generated and shown only once. */

import { randomUUIDv7 } from 'node:crypto'
import { callerRefusal } from '../../access/access-refusal.ts'
import { basisOf } from '../../access/credential-basis.ts'
import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, ResourceModel, Stored } from '../../definition/model.ts'
import { invalidContent, refuse } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { CollectionTarget } from '../../requests/context/target.ts'
import { draftCreation, membersOf } from '../../requests/write/draft-from-content.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import { currentTimestamp } from '../../requests/write/prepare-insert.ts'
import { viewWithSecrets } from '../../requests/write/shown-secret.ts'
import { equals, isAlwaysTrue } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { itemUri } from '../../views/uri.ts'
import { createWebhookSecret } from './secret-encryption.ts'

/** Limited, so that an account can always be deleted together with its webhooks. */
const maxWebhooksPerAccount = 100

/** 201 with the secret; refuses 403 and 422. */
export async function createWebhook(
  context: RequestContext<CollectionTarget>,
  body: unknown,
): Promise<PlannedChange> {
  const { service, caller, target } = context
  const { resource } = target
  const { store } = service
  if (caller.kind !== 'account') throw callerRefusal(caller)
  const rights = rightsOf(resource, caller)
  const { values: sent, faults } = draftCreation({ resource, rights, isTrue: isAlwaysTrue }, membersOf(body))
  if (faults.length > 0) throw invalidContent(faults)
  if ((await store.count(resource.name, equals(['owner'], caller.identity))) >= maxWebhooksPerAccount) {
    const detail = `An account has at most ${maxWebhooksPerAccount} webhooks. Delete some of them first.`
    throw refuse('forbidden', { detail })
  }
  const [identity, secret, at] = [randomUUIDv7(), createWebhookSecret(), currentTimestamp(service)]
  const own: Readonly<Record<string, Stored>> = {
    owner: caller.identity,
    token: basisOf(caller),
    secret: service.webhookSecrets.encrypt(identity, secret),
    since: (await store.lastPosition()) ?? 0,
    apiVersion: context.version?.name ?? null,
  }
  const fields = resource.fields.map((field) => {
    const value = sent.get(field)
    return value === undefined ? (own[field.name] ?? null) : field.encode(value)
  })
  const values = [identity, 1, at, at, ...fields]
  return {
    writes: [{ kind: 'insert', table: resource.name, values, conditionAfter: rights.create }],
    response: {
      status: 201,
      view: await viewWithSecrets(context, { secrets: { secret }, values }),
      links: [],
      fields: { Location: itemUri(service.model, resource, values) },
    },
  }
}

/** A webhook that becomes active again does not send the changes of the time when it was not. */
export async function restartWebhook(
  { store }: ServiceContext,
  { fieldByName }: ResourceModel,
  row: Row,
  values: Stored[],
): Promise<void> {
  const [active, since] = ['active', 'since'].map((name) => (fieldByName.get(name) as FieldModel).index)
  if (active === undefined || since === undefined || row[active] === 1 || values[active] !== 1) return
  values[since] = (await store.lastPosition()) ?? 0
}
