/** Webhooks as their rows in the database. */

import { findBuiltIn } from '../../definition/built-in-table.ts'
import { IDENTITY, type Model, type ResourceModel, VERSION } from '../../definition/model.ts'
import { always, equals } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { readField } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import { findRow, listRows } from '../../store/table-rows.ts'
import { webhooksTable } from './webhooks-resource.ts'

export interface Webhook {
  readonly identity: string
  readonly version: number
  readonly url: string
  /** Such as `tasks.created` or `tasks.*`. */
  readonly patterns: ReadonlySet<string>
  readonly isActive: boolean
  /** The identity of the account. */
  readonly owner: string
  /** Changes up to this position of the log are not sent. */
  readonly since: number
  /** The encrypted secrets: the present one, and the previous one while it is valid. */
  readonly secret: string
  readonly previousSecret: string | undefined
  readonly previousSecretUntil: string | undefined
  /** The token that it was made with; undefined: the account itself. */
  readonly token: string | undefined
  /** The version of the interface that it was created with; undefined: the present one. */
  readonly apiVersion: string | undefined
  readonly row: Row
}

/** The resource; undefined for a service without accounts. */
export function webhooksOf({ resources }: Model): ResourceModel | undefined {
  return findBuiltIn(resources, webhooksTable)
}

export async function findWebhook(
  store: Store,
  resource: ResourceModel,
  identity: string,
): Promise<Webhook | undefined> {
  const row = await findRow(store, resource, identity)
  return row && webhookOf(resource, row)
}

/** The most that are served at a time. */
const maxWebhooks = 10_000

export async function listActiveWebhooks(store: Store, resource: ResourceModel): Promise<readonly Webhook[]> {
  const rows = await listRows(store, resource, { condition: equals(['active'], 1), limit: maxWebhooks })
  return rows.map((row) => webhookOf(resource, row))
}

/** Whether there are any, active or not. */
export async function hasWebhooks(store: Store, resource: ResourceModel): Promise<boolean> {
  return (await listRows(store, resource, { condition: always, limit: 1 })).length > 0
}

export function webhookOf(resource: ResourceModel, row: Row): Webhook {
  const text = (name: string) => {
    const value = readField(resource, row, name)
    return value === null ? undefined : String(value)
  }
  const texts = (name: string) => {
    const value = readField(resource, row, name)
    const decoded = value === null ? undefined : resource.fieldByName.get(name)?.decode(value)
    return Array.isArray(decoded) ? new Set(decoded.map(String)) : undefined
  }
  return {
    identity: String(row[IDENTITY]),
    version: Number(row[VERSION]),
    url: text('url') ?? '',
    patterns: texts('events') ?? new Set(),
    isActive: readField(resource, row, 'active') === 1,
    owner: text('owner') ?? '',
    since: Number(readField(resource, row, 'since') ?? 0),
    secret: text('secret') ?? '',
    previousSecret: text('previousSecret'),
    previousSecretUntil: text('previousSecretUntil'),
    token: text('token'),
    apiVersion: resource.fieldByName.has('apiVersion') ? text('apiVersion') : undefined,
    row,
  }
}

/** Whether the webhook wants events of this type. */
export function isWanted({ patterns }: Webhook, type: string): boolean {
  return patterns.has(type) || patterns.has(`${collectionOf(type)}.*`)
}

/** The collection in the name of an event or pattern. */
export function collectionOf(type: string): string {
  return type.slice(0, type.lastIndexOf('.'))
}
