/** Recognises lists that are one range of an index: reading a page of them takes no deadline. */

import type { Condition, Operator } from '../condition.ts'
import type { Table } from '../schema/table-schema.ts'
import type { RowQuery } from '../store.ts'
import { knownColumn } from './sql-text.ts'

/** Whether the rows are one range of an index, in its order. Indexes end in the id, which must break ties in the same direction. */
export function isSingleIndexRange(table: Table, { condition, order, firstReferring }: RowQuery): boolean {
  const [first, second, third] = order
  if (!first || first.through || first.derived || third || firstReferring) return false
  const { column } = first
  const alone = !second && (column === table.idColumn || knownColumn(table, column).unique)
  const tied = second?.column === table.idColumn && second.descending === first.descending
  const indexed = table.indexes.some((names) => names.length === 1 && names[0] === column)
  return (alone || (tied && indexed)) && isRangeOf(condition, column)
}

/** Whether the condition only limits the range of the column. */
function isRangeOf(condition: Condition, column: string): boolean {
  if (condition.kind === 'always') return true
  if (condition.kind === 'all') return condition.of.every((one) => isRangeOf(one, column))
  if (condition.kind !== 'compare' || condition.path.length > 1) return false
  return condition.path[0] === column && rangeOperators.has(condition.operator)
}

const rangeOperators: ReadonlySet<Operator> = new Set(['eq', 'lt', 'lte', 'gt', 'gte'])
