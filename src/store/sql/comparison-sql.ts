/** Translates the comparison of one column with values into SQL. */

import type { Stored } from '../../definition/model.ts'
import { caseVariants, prefixRanges } from '../case-folding.ts'
import type { Comparison, Operator } from '../condition.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { bind, bindRaw, knownColumn, type SqlDraft } from './sql-text.ts'

/** A comparison of the last column of its path. */
export type LeafCondition = Omit<Comparison, 'operator'> & {
  readonly operator: Operator | 'present'
}

/** A column of the table, and the expression for its value. */
interface Place {
  readonly table: Table
  readonly column: Column
  readonly place: string
}

/** An expression that is true where the comparison is true, otherwise false or null. */
export function leafSql(draft: SqlDraft, compared: Place, leaf: LeafCondition): string {
  const ranges = rangesSql(draft, compared, leaf)
  const { column, place } = compared
  const own = comparedSql(draft, column, place, leaf)
  return ranges === undefined ? own : `(${ranges} and ${own})`
}

/** The same for any expression with values of the column's type. */
export function comparedSql(
  draft: SqlDraft,
  column: Column,
  place: string,
  { operator, values }: Pick<LeafCondition, 'operator' | 'values'>,
): string {
  return operators[operator](draft, column, place, values)
}

/** Whether an index begins with the column. */
export function isIndexed(table: Table, name: string): boolean {
  const { unique, references } = knownColumn(table, name)
  const begins = ([first]: readonly string[]) => first === name
  const isColumnIndexed = unique || references !== undefined
  return isColumnIndexed || table.indexes.some(begins) || table.uniqueSets.some(begins)
}

/** How many values of an `in` have a parameter each. */
const maxListedValues = 10

type LeafSql = (
  draft: SqlDraft,
  column: Column,
  place: string,
  values: readonly Exclude<Stored, null>[],
) => string

const operators: Readonly<Record<LeafCondition['operator'], LeafSql>> = {
  eq: comparedBy('='),
  ne: comparedBy('<>'),
  lt: comparedBy('<'),
  lte: comparedBy('<='),
  gt: comparedBy('>'),
  gte: comparedBy('>='),
  in(draft, column, place, values) {
    if (values.length === 0) return 'false'
    // One parameter for many values, so that the statement text does not depend on their number.
    if (values.length > maxListedValues && column.type === 'text') {
      const list = bindRaw(draft, JSON.stringify(values))
      return `${place} in (${draft.dialect.elements(list)})`
    }
    return `${place} in (${values.map((value) => bind(draft, column, value)).join(', ')})`
  },
  contains: (draft, _column, place, values) => patternSql(draft, place, only(values), 'anywhere'),
  starts: (draft, _column, place, values) => patternSql(draft, place, only(values), 'start'),
  has: (draft, _column, place, values) => draft.dialect.hasElement(place, bindRaw(draft, only(values))),
  missing: (_draft, _column, place) => `${place} is null`,
  present: (_draft, _column, place) => `${place} is not null`,
}

function patternSql(draft: SqlDraft, place: string, value: Stored, at: 'start' | 'anywhere'): string {
  const pattern = draft.dialect.pattern(caseVariants(String(value)), at)
  return draft.dialect.matches(place, bindRaw(draft, pattern))
}

/** Index ranges for a prefix in any letter case; undefined where no index serves them. */
function rangesSql(
  draft: SqlDraft,
  { table, column, place }: Place,
  leaf: LeafCondition,
): string | undefined {
  if (leaf.operator !== 'starts' || !isIndexed(table, column.name)) return undefined
  const ranges = prefixRanges(caseVariants(String(only(leaf.values)))).map(([from, below]) => {
    const lower = `${place} >= ${bind(draft, column, from)}`
    return below === undefined ? lower : `${lower} and ${place} < ${bind(draft, column, below)}`
  })
  return ranges.length === 0 ? undefined : `(${ranges.join(' or ')})`
}

function comparedBy(operator: string): LeafSql {
  return (draft, column, place, values) => `${place} ${operator} ${bind(draft, column, only(values))}`
}

function only(values: readonly Exclude<Stored, null>[]): Exclude<Stored, null> {
  const [value] = values
  if (value === undefined || values.length !== 1) throw new Error('A comparison takes one value')
  return value
}
