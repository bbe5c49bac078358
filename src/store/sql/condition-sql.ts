/**
 * Translates conditions into SQL. A comparison along references becomes an EXISTS, so that a
 * missing reference makes it false; `not` is never null.
 */

import type {
  Comparison,
  Condition,
  DerivedComparison,
  DerivedValue,
  Match,
  MatchPair,
  SameValues,
  SearchWords,
  Through,
} from '../condition.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { comparedSql, isIndexed, type LeafCondition, leafSql } from './comparison-sql.ts'
import { derivedColumn, derivedSql } from './derived-sql.ts'
import { knownColumn, knownTable, quoted, type SqlDraft, withDeadline } from './sql-text.ts'

/** The alias of the row that conditions apply to; no table has this name. */
export const ROW = '_t'

/**
 * An expression that is true where the condition is true, otherwise false or null. It selects rows:
 * where an index leads to the rows that can satisfy it, the database need not visit the others.
 */
export function conditionSql(draft: SqlDraft, table: Table, condition: Condition): string {
  return stepSql(draft, { table, row: ROW, depth: 0, purpose: 'select' }, condition)
}

/** The same for a row that is already found, never null: its cost depends on no other row. */
export function isTrueSql(draft: SqlDraft, table: Table, condition: Condition): string {
  return `(${rowConditionSql(draft, table, ROW, condition)}) is true`
}

/** An expression for the row with this alias, which no subquery surrounds; its cost depends on no other row. */
export function rowConditionSql(draft: SqlDraft, table: Table, row: string, condition: Condition): string {
  return stepSql(draft, { table, row, depth: 0, purpose: 'judge' }, condition)
}

/** An expression for a derived value of the row with this alias, which no subquery surrounds. */
export function rowDerivedSql(draft: SqlDraft, row: string, value: DerivedValue): string {
  return valueAtSql(draft, { row, depth: 0 }, value)
}

/** A position on a path: a table, the alias of its row, and how many subqueries surround it. */
interface Step {
  readonly table: Table
  readonly row: string
  readonly depth: number
  readonly purpose: 'select' | 'judge'
}

function stepSql(draft: SqlDraft, step: Step, condition: Condition): string {
  switch (condition.kind) {
    case 'always':
      return 'true'
    case 'never':
      return 'false'
    case 'compare':
      return comparisonSql(draft, step, condition)
    case 'through':
      return throughSql(draft, step, condition)
    case 'match':
      return matchSql(draft, step, condition)
    case 'same':
      return sameSql(draft, step, condition)
    case 'words':
      return wordsSql(draft, step, condition)
    case 'derived':
      return derivedComparisonSql(draft, step, condition)
    case 'not':
      return `((${stepSql(draft, step, condition.of)}) is not true)`
    case 'all':
      return joined(draft, step, condition.of, ' and ') ?? 'true'
    case 'any':
      return joined(draft, step, condition.of, ' or ') ?? 'false'
  }
}

function joined(draft: SqlDraft, step: Step, of: readonly Condition[], by: string) {
  if (of.length === 0) return undefined
  return `(${of.map((condition) => stepSql(draft, step, condition)).join(by)})`
}

/**
 * Where an index selects few target rows, they are selected first and the reference is looked up
 * among them; otherwise the target of each row is checked.
 */
function throughSql(draft: SqlDraft, step: Step, { reference, of }: Through): string {
  const column = knownColumn(step.table, reference)
  const place = `${step.row}.${quoted(column.name)}`
  const next = nextStep(draft, step, column)
  const { row } = next
  const inner = stepSql(draft, next, of)
  const target = `${quoted(next.table.name)} ${row}`
  if (step.purpose === 'select' && isSelective(draft, next.table, of)) {
    const within = withDeadline(draft, [inner]).join(' and ')
    return `${place} in (select ${row}."_identity" from ${target} where ${within})`
  }
  return `exists (select 1 from ${target} where ${row}."_identity" = ${place} and ${inner})`
}

/**
 * Where an index leads to the rows of the other table and another from their values to this row, the
 * values are selected first; otherwise the other table is searched for each row.
 */
function matchSql(draft: SqlDraft, step: Step, condition: Match): string {
  const lead = step.purpose === 'select' ? findLead(draft, step.table, condition) : undefined
  if (lead === undefined) return searchSql(draft, step, condition)
  const leading = leadingSql(draft, step, lead.path, matchedValues(draft, condition, lead))
  if (condition.pairs.length === 1) return leading
  return `(${leading} and ${searchSql(draft, step, condition)})`
}

/** A query for values of the first column of the lead's path; all rows that match have one of them. */
export function leadingValuesSql(draft: SqlDraft, table: Table, match: Match, lead: MatchPair): string {
  const step: Step = { table, row: ROW, depth: 0, purpose: 'select' }
  return firstValuesSql(draft, step, lead.path, matchedValues(draft, match, lead))
}

/** A query for the values of the lead's column in the rows of the other table. */
function matchedValues(draft: SqlDraft, { table: name, of }: Match, lead: MatchPair) {
  return (depth: number): string => {
    const table = knownTable(draft.schema, name)
    const row = alias(depth)
    const inner = stepSql(draft, { table, row, depth, purpose: 'select' }, of)
    const where = withDeadline(draft, [inner]).join(' and ')
    const value = `${row}.${quoted(knownColumn(table, lead.column).name)}`
    return `select ${value} from ${quoted(table.name)} ${row} where ${where}`
  }
}

/** The pair from which indexes lead to the rows of the table; undefined where none does. */
export function findLead(
  draft: Pick<SqlDraft, 'schema'>,
  table: Table,
  { table: other, of, pairs }: Match,
): MatchPair | undefined {
  if (!isSelective(draft, knownTable(draft.schema, other), of)) return undefined
  return pairs.find(({ path }) => isIndexedPath(draft, table, path))
}

function isIndexedPath(draft: Pick<SqlDraft, 'schema'>, table: Table, path: readonly string[]): boolean {
  const [name = '', ...rest] = path
  if (rest.length === 0) return isIndexed(table, name)
  return isIndexedPath(draft, referredTable(draft, table, knownColumn(table, name)), rest)
}

/** Whether the value at the end of the path is among the selected values. */
function leadingSql(
  draft: SqlDraft,
  step: Step,
  path: readonly string[],
  values: (depth: number) => string,
): string {
  const column = knownColumn(step.table, path[0] ?? '')
  const place = `${step.row}.${quoted(column.name)}`
  return draft.dialect.among(place, firstValuesSql(draft, step, path, values))
}

/** The values of the first column of the path from which it leads to the selected values. */
function firstValuesSql(
  draft: SqlDraft,
  step: Step,
  [name = '', ...rest]: readonly string[],
  values: (depth: number) => string,
): string {
  if (rest.length === 0) return values(step.depth + 1)
  const next = nextStep(draft, step, knownColumn(step.table, name))
  const { row } = next
  const where = withDeadline(draft, [leadingSql(draft, next, rest, values)]).join(' and ')
  return `select ${row}."_identity" from ${quoted(next.table.name)} ${row} where ${where}`
}

/** Searches the other table for a row that matches this one. */
function searchSql(draft: SqlDraft, step: Step, { table: name, of, pairs }: Match): string {
  const table = knownTable(draft.schema, name)
  const row = alias(step.depth + 1)
  const inner = stepSql(draft, { table, row, depth: step.depth + 1, purpose: step.purpose }, of)
  const equal = pairs.map(({ path, column }) => {
    const value = valueSql(draft, step, path, step.depth + 2)
    return `${row}.${quoted(knownColumn(table, column).name)} = ${value}`
  })
  const where = withDeadline(draft, [inner, ...equal]).join(' and ')
  return `exists (select 1 from ${quoted(table.name)} ${row} where ${where})`
}

function sameSql(draft: SqlDraft, step: Step, { paths }: SameValues): string {
  return paths.map((path) => valueSql(draft, step, path, step.depth + 1)).join(' = ')
}

/** The value at the end of the path, with aliases from the depth on; null where it is missing. */
function valueSql(
  draft: SqlDraft,
  step: Step,
  [name = '', ...rest]: readonly string[],
  depth: number,
): string {
  const column = knownColumn(step.table, name)
  const place = `${step.row}.${quoted(column.name)}`
  if (rest.length === 0) return place
  const row = alias(depth)
  const next = { ...nextStep(draft, step, column), row, depth }
  const value = valueSql(draft, next, rest, depth + 1)
  const target = `${quoted(next.table.name)} ${row}`
  return `(select ${value} from ${target} where ${row}."_identity" = ${place})`
}

function nextStep(draft: SqlDraft, step: Step, column: Column): Step {
  const depth = step.depth + 1
  return { ...step, table: referredTable(draft, step.table, column), row: alias(depth), depth }
}

/** Whether an index selects the rows that can satisfy the condition. */
export function isSelective(draft: Pick<SqlDraft, 'schema'>, table: Table, condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.some((one) => isSelective(draft, table, one))
    case 'any':
      return condition.of.every((one) => isSelective(draft, table, one))
    case 'match':
      return findLead(draft, table, condition) !== undefined
    case 'through':
      return isSelective(
        draft,
        referredTable(draft, table, knownColumn(table, condition.reference)),
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

function wordsSql(draft: SqlDraft, { table, row }: Step, { words }: SearchWords): string {
  if (table.search.length === 0) throw new Error(`The table '${table.name}' is not searched`)
  if (words.length === 0) return 'true'
  return draft.dialect.search.matches(draft, table, `${row}."_identity"`, words)
}

/** The rows that count are found by their reference; each of them is judged. */
function valueAtSql(
  draft: SqlDraft,
  { row, depth }: Pick<Step, 'row' | 'depth'>,
  value: DerivedValue,
): string {
  const table = knownTable(draft.schema, value.table)
  const referring = alias(depth + 1)
  const step: Step = { table, row: referring, depth: depth + 1, purpose: 'judge' }
  return derivedSql(draft, value, { row, referring, condition: stepSql(draft, step, value.condition) })
}

function derivedComparisonSql(
  draft: SqlDraft,
  step: Step,
  { value, operator, values }: DerivedComparison,
): string {
  const column = derivedColumn(draft.schema, value)
  return comparedSql(draft, column, valueAtSql(draft, step, value), { operator, values })
}

function comparisonSql(draft: SqlDraft, step: Step, comparison: Comparison): string {
  if (comparison.operator !== 'missing' || comparison.path.length < 2) {
    return pathSql(draft, step, comparison)
  }
  return `(not ${pathSql(draft, step, { ...comparison, operator: 'present' })})`
}

function pathSql(draft: SqlDraft, step: Step, leaf: LeafCondition): string {
  const [name, ...rest] = leaf.path
  const column = knownColumn(step.table, name ?? '')
  const place = `${step.row}.${quoted(column.name)}`
  if (rest.length === 0) return leafSql(draft, { table: step.table, column, place }, leaf)
  const next = nextStep(draft, step, column)
  const { row } = next
  const inner = pathSql(draft, next, { ...leaf, path: rest })
  const target = `${quoted(next.table.name)} ${row}`
  return `exists (select 1 from ${target} where ${row}."_identity" = ${place} and ${inner})`
}

/** The table that the column refers to. Throws where it is no reference, which is a bug. */
export function referredTable({ schema }: Pick<SqlDraft, 'schema'>, table: Table, column: Column): Table {
  if (column.references !== undefined) return knownTable(schema, column.references.table)
  throw new Error(`'${table.name}.${column.name}' is no reference to follow`)
}

/** The alias of the row in a subquery at this depth. */
function alias(depth: number): string {
  return `r${depth}`
}
