/**
 * Evaluates a condition without the database, where the values of the row alone decide it. A change
 * is shown to many subscribers, and a query for each of them would be too slow. The result is that of
 * the SQL of the same condition (sql/condition-sql.ts).
 */

import type { Stored } from '../definition/model.ts'
import type { Comparison, Condition, Operator, SearchCondition } from './condition.ts'
import type { Row } from './row.ts'
import type { Column, Table } from './schema/table-schema.ts'
import { splitWords } from './search-words.ts'
import { columnIndex, knownColumn } from './sql/sql-text.ts'

/** Whether the condition is true for the row; undefined where only the database can tell. */
export function evaluateCondition(table: Table, row: Row, condition: Condition): boolean | undefined {
  const evaluate = (inner: Condition) => evaluateCondition(table, row, inner)
  switch (condition.kind) {
    case 'always':
      return true
    case 'never':
      return false
    case 'compare':
      return evaluateComparison(table, row, condition)
    case 'search':
      return evaluateWords(table, row, condition)
    case 'not':
      return negated(evaluate(condition.of))
    case 'all':
      return firstDecided(condition.of.map(evaluate), false)
    case 'any':
      return firstDecided(condition.of.map(evaluate), true)
    default:
      return undefined
  }
}

function negated(result: boolean | undefined): boolean | undefined {
  return result === undefined ? undefined : !result
}

/** The deciding result if any condition has it; else undefined if any is undecided. */
function firstDecided(results: readonly (boolean | undefined)[], deciding: boolean): boolean | undefined {
  if (results.includes(deciding)) return deciding
  return results.includes(undefined) ? undefined : !deciding
}

function evaluateComparison(
  table: Table,
  row: Row,
  { path, operator, values }: Comparison,
): boolean | undefined {
  const [name = '', ...rest] = path
  if (rest.length > 0) return undefined
  const column = knownColumn(table, name)
  const stored = row[columnIndex(table, name)] ?? null
  if (operator === 'missing') return stored === (column.elements ? '[]' : null)
  if (operator === 'has') return hasElement(column, stored, values)
  const outcomes = outcomesByOperator[operator]
  if (outcomes === undefined) return undefined
  if (stored === null) return false
  const orders = values.map((value) => compareStored(column, stored, value))
  if (orders.includes(undefined)) return undefined
  return orders.some((order) => outcomes.includes(Math.sign(order as number)))
}

/** Whether a list contains the text; undefined for lists of other values. */
function hasElement({ elements }: Column, stored: Stored, [value]: readonly Stored[]): boolean | undefined {
  if (elements || typeof value !== 'string') return undefined
  if (stored === null) return false
  const list: readonly unknown[] = JSON.parse(String(stored))
  return list.includes(value)
}

/** The results of comparing the stored value with the given one for which the operator holds. */
const outcomesByOperator: Readonly<Partial<Record<Operator, readonly number[]>>> = {
  eq: [0],
  in: [0],
  ne: [-1, 1],
  lt: [-1],
  lte: [-1, 0],
  gt: [1],
  gte: [0, 1],
}

/** Negative, 0 or positive; undefined for values of different types. */
function compareStored(
  { type }: Column,
  stored: Exclude<Stored, null>,
  given: Exclude<Stored, null>,
): number | undefined {
  if (type === 'decimal') return compareNumbers(BigInt(stored), BigInt(given))
  if (typeof stored === 'string' && typeof given === 'string') {
    return stored === given ? 0 : Buffer.compare(Buffer.from(stored), Buffer.from(given))
  }
  if (typeof stored === 'number' && typeof given === 'number') return compareNumbers(stored, given)
  return undefined
}

function compareNumbers<N extends number | bigint>(one: N, other: N): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Each word is a prefix of a word in the searched columns. */
function evaluateWords(table: Table, row: Row, { words }: SearchCondition): boolean {
  const texts = table.search.map((name) => row[columnIndex(table, name)] ?? '')
  const found = splitWords(texts.join('\n'))
  return words.every((word) => found.some((one) => one.startsWith(word)))
}
