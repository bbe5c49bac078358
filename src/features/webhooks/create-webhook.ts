/** POST /webhooks: creates a webhook. Its secret is generated and shown only once. */

import { randomUUIDv7 } from 'node:crypto'
import { callerRefusal } from '../../access/access-refusal.ts'
import { basisOf } from '../../access/credential-basis.ts'
import { requireRoom } from '../../access/most-per-account.ts'
import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, Stored } from '../../definition/model.ts'
import { invalidContent } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { partOf } from '../../requests/context/service-part.ts'
import type { CollectionTarget, ItemTarget } from '../../requests/context/target.ts'
import { draftCreation, membersOf } from '../../requests/write/draft-from-content.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import { currentTimestamp } from '../../requests/write/prepare-insert.ts'
import { viewWithSecrets } from '../../requests/write/shown-secret.ts'
import { isAlwaysTrue } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { itemUri } from '../../views/uri.ts'
import { createWebhookSecret, webhookSecrets } from './secret-encryption.ts'

/** 201 with the secret; refuses 403 and 422. */
export async function createWebhook(
  context: RequestContext<CollectionTarget>,
  body: unknown,
): Promise<PlannedChange> {
  const { service, unit, caller, target } = context
  const { resource } = target
  const { store } = unit
  if (caller.kind !== 'account') throw callerRefusal(caller)
  const rights = rightsOf(resource, caller)
  const { values: sent, faults } = draftCreation({ resource, rights, isTrue: isAlwaysTrue }, membersOf(body))
  if (faults.length > 0) throw invalidContent(faults)
  await requireRoom(store, { resource, account: caller.identity })
  const [identity, secret, at] = [randomUUIDv7(), createWebhookSecret(), currentTimestamp(service)]
  const own: Readonly<Record<string, Stored>> = {
    owner: caller.identity,
    token: basisOf(caller),
    secret: partOf(service, webhookSecrets).encrypt(identity, secret),
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
  { unit, target }: RequestContext<ItemTarget>,
  row: Row,
  drafted: readonly Stored[],
): Promise<readonly Stored[]> {
  const field = (name: string) => target.resource.fieldByName.get(name) as FieldModel
  const active = field('active').index
  if (row[active] === 1 || drafted[active] !== 1) return drafted
  return drafted.with(field('since').index, (await unit.store.lastPosition()) ?? 0)
}
