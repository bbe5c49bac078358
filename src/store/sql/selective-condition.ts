/** Which conditions an index can drive: the database then visits only the rows that can satisfy them. */

import type { Condition, EqualPair, ExistsCondition } from '../condition.ts'
import { type Column, referredTableName, type Table } from '../schema/table-schema.ts'
import { isIndexed } from './comparison-sql.ts'
import { knownColumn, knownTable, type SqlBuilder } from './sql-text.ts'

/** The condition among those joined by `and` that drives the query from records of another table, by an index. */
export function findDrivingTerm(
  builder: Pick<SqlBuilder, 'schema'>,
  table: Table,
  terms: readonly Condition[],
): Condition | undefined {
  return terms.find((term) => hasExists(term) && isSelective(builder, table, term))
}

function hasExists(condition: Condition): boolean {
  return condition.kind === 'exists' || (condition.kind === 'any' && condition.of.some(hasExists))
}

/** The conditions that are joined by `all` or by `any`, at any depth. */
export function termsOf(kind: 'all' | 'any', condition: Condition): readonly Condition[] {
  return condition.kind === kind ? condition.of.flatMap((one) => termsOf(kind, one)) : [condition]
}

/** The pair from which indexes lead to the rows of the table; undefined where none does. */
export function findDrivingPair(
  builder: Pick<SqlBuilder, 'schema'>,
  table: Table,
  { table: other, of, pairs }: ExistsCondition,
): EqualPair | undefined {
  if (!isSelective(builder, knownTable(builder.schema, other), of)) return undefined
  return pairs.find(({ path }) => isIndexedPath(builder, table, path))
}

export function isIndexedPath(
  builder: Pick<SqlBuilder, 'schema'>,
  table: Table,
  path: readonly string[],
): boolean {
  const [name = '', ...rest] = path
  if (rest.length === 0) return isIndexed(table, name)
  return isIndexedPath(builder, referredTable(builder, table, knownColumn(table, name)), rest)
}

/** Whether an index selects the rows that can satisfy the condition. */
export function isSelective(
  builder: Pick<SqlBuilder, 'schema'>,
  table: Table,
  condition: Condition,
): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.some((one) => isSelective(builder, table, one))
    case 'any':
      return condition.of.every((one) => isSelective(builder, table, one))
    case 'exists':
      return findDrivingPair(builder, table, condition) !== undefined
    case 'reference':
      return isSelective(
        builder,
        referredTable(builder, table, knownColumn(table, condition.reference)),
        condition.of,
      )
    case 'compare': {
      const [name = '', ...rest] = condition.path
      const looksUp = condition.operator === 'eq' || condition.operator === 'in'
      return looksUp && rest.length === 0 && isIndexed(table, name)
    }
    default:
      return false
  }
}

/** The table that the column refers to. Throws where it is no reference, which is a bug. */
export function referredTable({ schema }: Pick<SqlBuilder, 'schema'>, table: Table, column: Column): Table {
  const name = referredTableName(column)
  if (name !== undefined) return knownTable(schema, name)
  throw new Error(`'${table.name}.${column.name}' is no reference to follow`)
}
