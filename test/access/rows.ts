/** Rows written straight into a store, with identities and times that a test chooses. */

import { createApiToken } from '../../src/access/account-tokens.ts'
import { accountFromRow } from '../../src/access/basic-scheme.ts'
import type { Account } from '../../src/access/principal.ts'
import {
  type AccountsModel,
  type JsonValue,
  type Model,
  type ResourceModel,
  type Stored,
  UPDATED_AT,
} from '../../src/definition/model.ts'
import { always } from '../../src/store/condition.ts'
import type { Row } from '../../src/store/row.ts'
import { updateFields } from '../../src/store/row-fields.ts'
import type { Store } from '../../src/store/store.ts'
import type { Write } from '../../src/store/write.ts'

export type Values = Readonly<Record<string, JsonValue | undefined>>

export const past = '2026-01-01T00:00:00.000Z'

/** A UUID that sorts by the number. */
export function uuid(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
}

export function rowOf(resource: ResourceModel, number: number, values: Values): Row {
  return [uuid(number), 1, past, past, ...resource.fields.map((field) => storedOf(field, values))]
}

function storedOf(field: ResourceModel['fields'][number], values: Values): Stored {
  const value = values[field.name] ?? field.default
  if (value === undefined || value === null) return null
  return field.ref || field.kind.isHashed ? String(value) : field.encode(value)
}

export async function insert(store: Store, resource: ResourceModel, number: number, values: Values) {
  await write(store, {
    kind: 'insert',
    table: resource.name,
    values: rowOf(resource, number, values),
    conditionAfter: always,
  })
}

/** Changes fields of a row as a caller's own write would, one version further, by default at the time of the row. */
export async function change(
  store: Store,
  resource: ResourceModel,
  number: number,
  values: Values,
  at?: string,
): Promise<void> {
  const row = await find(store, resource, number)
  if (!row) throw new Error(`There is no ${resource.name} ${number}`)
  const changed = Object.fromEntries(
    resource.fields
      .filter(({ name }) => name in values)
      .map((field) => [field.name, storedOf({ ...field, default: undefined }, values)]),
  )
  await write(store, updateFields(resource, row, at ?? String(row[UPDATED_AT]), changed))
}

/** The row with this number; undefined where there is none. */
export async function find(store: Store, resource: ResourceModel, number: number): Promise<Row | undefined> {
  return store.find({ table: resource.name, column: '_identity', value: uuid(number), evaluated: [] })
}

/** Creates a token for the account with this number; returns the value of Authorization. */
export async function tokenFor(
  store: Store,
  model: Model,
  number: number,
  scopes: readonly string[] = ['*:read', '*:write'],
): Promise<string> {
  const accounts = model.accounts as AccountsModel
  const table = accounts.resource.name
  const row = (await store.find({
    table,
    column: '_identity',
    value: uuid(number),
    evaluated: [],
  })) as Row
  const resource = model.tokens as ResourceModel
  const tokens = { resource, accounts, store, now: Date.now, observe: () => undefined }
  const expiresAt = Date.parse('2099-01-01T00:00:00Z')
  const created = createApiToken(tokens, {
    owner: accountFromRow(accounts, row) as Account,
    name: undefined,
    scopes,
    expiresAt,
  })
  await write(store, { kind: 'insert', table: 'tokens', values: created.values, conditionAfter: always })
  return `Bearer ${created.secret}`
}

async function write(store: Store, one: Write): Promise<void> {
  const written = await store.write([one])
  if (written.kind !== 'done') throw new Error(JSON.stringify(written))
}
