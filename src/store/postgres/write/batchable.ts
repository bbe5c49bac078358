/**
 * Which writes go in company with those of other requests: those that are hardly ever refused, and
 * hardly ever wait for somebody, for all that go together would be refused or wait together.
 */

import { IDENTITY, VERSION } from '../../../definition/model.ts'
import { memoizeByObject } from '../../../tools/memoize.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import type { InsertWrite, ReplaceWrite, Write } from '../../store.ts'
import { findCreation } from './insert-statement.ts'
import { findReplacement } from './replace-statement.ts'

export interface BatchableWrite {
  readonly table: Table
  readonly write: InsertWrite | ReplaceWrite
}

export function findBatchable(
  schema: Schema,
  writes: readonly Write[],
): BatchableWrite | undefined {
  return findInsert(schema, writes) ?? findReplace(schema, writes)
}

/** An identity that a client chose, and that another row may have, begins above version 1. */
function findInsert(schema: Schema, writes: readonly Write[]): BatchableWrite | undefined {
  const { table, rows, answer } = findCreation(schema, writes) ?? {}
  const [write] = rows?.length === 1 && answer === undefined ? rows : []
  if (!table || write?.values[VERSION] !== 1 || hasUnique(table)) return undefined
  return { table, write }
}

/** One that refers to others may have to wait for who removes them. */
function findReplace(schema: Schema, writes: readonly Write[]): BatchableWrite | undefined {
  const found = findReplacement(schema, writes)
  if (found?.write.guard.kind !== 'always' || hasUnique(found.table)) return undefined
  return refersToOthers(found.table) ? undefined : found
}

/** Besides the identity. */
const hasUnique = memoizeByObject(({ columns }: Table) =>
  columns.some(({ unique }, at) => unique && at !== IDENTITY),
)

const refersToOthers = memoizeByObject(({ columns }: Table) =>
  columns.some(({ references }) => references !== undefined),
)
