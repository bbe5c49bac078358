/** Rows of a table as the service itself reads and writes them: whole, and without the rights of a caller. */

import { randomUUIDv7 } from 'node:crypto'
import { IDENTITY, type ResourceModel, type Stored } from '../definition/model.ts'
import { always, type Condition } from './condition.ts'
import type { Row } from './row.ts'
import type { MaybePromise, RowQuery, Store } from './store.ts'
import type { InsertWrite, RepeatRead } from './write.ts'

type NamedTable = Pick<ResourceModel, 'name'>

/** The row with this identity, or with this value in a unique column. */
export function findRow(
  store: Pick<Store, 'find'>,
  { name: table }: NamedTable,
  value: Exclude<Stored, null>,
  column = '_identity',
): MaybePromise<Row | undefined> {
  return store.find({ table, column, value, evaluated: [] })
}

/** The first rows that satisfy the condition, in the order of their identities. */
export function listRows(
  store: Pick<Store, 'list'>,
  { name: table }: NamedTable,
  { condition, limit }: Pick<RowQuery, 'condition' | 'limit'>,
): MaybePromise<readonly Row[]> {
  const order = [{ column: '_identity', descending: false }]
  return store.list({ table, condition, order, after: undefined, limit, evaluated: [] })
}

/** The write that inserts a row with these fields, by name; its identity is random by default. */
export function insertFields(
  { name: table, fields }: ResourceModel,
  at: string,
  given: Readonly<Record<string, Stored | undefined>>,
  identity: string = randomUUIDv7(),
): InsertWrite {
  const values = [identity, 1, at, at, ...fields.map(({ name }) => given[name] ?? null)]
  return { kind: 'insert', table, values, conditionAfter: always }
}

/** Refuses writes, as stale, where another number of rows than this satisfies the condition by then. */
export function stillCounts({ name: table }: NamedTable, condition: Condition, found: number): RepeatRead {
  return { kind: 'repeat', read: { kind: 'count', table, condition }, found: String(found) }
}

/** Rows that are read at a time, and their octets as loaded. */
const batch = { limit: 500, octets: 4 * 1024 * 1024 }

/** All rows, in parts. */
export async function* rowBatches(
  store: Pick<Store, 'list'>,
  { name: table }: NamedTable,
  condition: Condition = always,
): AsyncGenerator<readonly Row[]> {
  const order = [{ column: '_identity', descending: false }]
  let after: readonly [string] | undefined
  for (;;) {
    const rows = await store.list({ table, condition, order, after, ...batch, evaluated: [], scan: true })
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = [String(last[IDENTITY])]
  }
}

export async function* allRows(...table: Parameters<typeof rowBatches>): AsyncGenerator<Row> {
  for await (const rows of rowBatches(...table)) yield* rows
}
