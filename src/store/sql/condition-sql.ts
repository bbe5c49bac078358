/**
 * Translates conditions into SQL. A comparison along references becomes an EXISTS, so that a
 * missing reference makes it false; `not` is never null.
 */

import type { Stored } from '../../definition/model.ts'
import { caseVariants, prefixRanges } from '../case-folding.ts'
import type { Comparison, Condition, Operator, SearchWords, Through } from '../condition.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { bind, bindRaw, knownColumn, knownTable, quoted, type SqlDraft } from './sql-text.ts'

/** The alias of the row that conditions apply to; no table has this name. */
export const ROW = '_t'

/** An expression that is true where the condition is true, otherwise false or null. */
export function conditionSql(draft: SqlDraft, table: Table, condition: Condition): string {
  return stepSql(draft, { table, depth: 0 }, condition)
}

/** The same as 1 or 0, never null. */
export function truthSql(draft: SqlDraft, table: Table, condition: Condition): string {
  return `(${conditionSql(draft, table, condition)}) is true`
}

/** A position on a path: a table, and how many references lead to it. */
interface Step {
  readonly table: Table
  readonly depth: number
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
    case 'words':
      return wordsSql(draft, step, condition)
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
  const place = `${alias(step.depth)}.${quoted(column.name)}`
  const next = { table: referredTable(draft, step.table, column), depth: step.depth + 1 }
  const row = alias(next.depth)
  const inner = stepSql(draft, next, of)
  const target = `${quoted(next.table.name)} ${row}`
  if (isSelective(draft, next.table, of)) {
    const within = withDeadline(draft, [inner]).join(' and ')
    return `${place} in (select ${row}."_identity" from ${target} where ${within})`
  }
  return `exists (select 1 from ${target} where ${row}."_identity" = ${place} and ${inner})`
}

/** Whether an index selects the rows that can satisfy the condition. */
function isSelective(draft: SqlDraft, table: Table, condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.some((one) => isSelective(draft, table, one))
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

/** Whether an index begins with the column. */
export function isIndexed(table: Table, name: string): boolean {
  const { unique, references } = knownColumn(table, name)
  return unique || references !== undefined || table.indexes.some(([first]) => first === name)
}

/** The terms, after the term that ends a statement at its deadline, where the dialect has one. */
export function withDeadline({ dialect }: SqlDraft, terms: readonly string[]): readonly string[] {
  return dialect.deadline === undefined ? terms : [dialect.deadline, ...terms]
}

function wordsSql(draft: SqlDraft, { table, depth }: Step, { words }: SearchWords): string {
  if (table.search.length === 0) throw new Error(`The table '${table.name}' is not searched`)
  if (words.length === 0) return 'true'
  return draft.dialect.search.matches(draft, table, `${alias(depth)}."_identity"`, words)
}

function comparisonSql(draft: SqlDraft, step: Step, comparison: Comparison): string {
  if (comparison.operator !== 'missing' || comparison.path.length < 2) {
    return pathSql(draft, step, comparison)
  }
  return `(not ${pathSql(draft, step, { ...comparison, operator: 'present' })})`
}

type LeafCondition = Omit<Comparison, 'operator'> & { readonly operator: Operator | 'present' }

function pathSql(draft: SqlDraft, step: Step, leaf: LeafCondition): string {
  const [name, ...rest] = leaf.path
  const column = knownColumn(step.table, name ?? '')
  const place = `${alias(step.depth)}.${quoted(column.name)}`
  if (rest.length === 0) {
    const ranges = rangesSql(draft, step, place, leaf)
    const own = operators[leaf.operator](draft, column, place, leaf.values)
    return ranges === undefined ? own : `(${ranges} and ${own})`
  }
  const next = { table: referredTable(draft, step.table, column), depth: step.depth + 1 }
  const row = alias(next.depth)
  const inner = pathSql(draft, next, { ...leaf, path: rest })
  const target = `${quoted(next.table.name)} ${row}`
  return `exists (select 1 from ${target} where ${row}."_identity" = ${place} and ${inner})`
}

function referredTable({ schema }: SqlDraft, table: Table, column: Column): Table {
  if (column.references !== undefined) return knownTable(schema, column.references.table)
  throw new Error(`'${table.name}.${column.name}' is no reference to follow`)
}

function alias(depth: number): string {
  return depth === 0 ? ROW : `r${depth}`
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
  contains: (draft, _column, place, values) => matchSql(draft, place, only(values), 'anywhere'),
  starts: (draft, _column, place, values) => matchSql(draft, place, only(values), 'start'),
  has: (draft, _column, place, values) =>
    draft.dialect.hasElement(place, bindRaw(draft, only(values))),
  missing: (_draft, _column, place) => `${place} is null`,
  present: (_draft, _column, place) => `${place} is not null`,
}

function matchSql(draft: SqlDraft, place: string, value: Stored, at: 'start' | 'anywhere'): string {
  const pattern = draft.dialect.pattern(caseVariants(String(value)), at)
  return draft.dialect.matches(place, bindRaw(draft, pattern))
}

/** Index ranges for a prefix in any letter case; undefined where no index serves them. */
function rangesSql(
  draft: SqlDraft,
  { table }: Step,
  place: string,
  leaf: LeafCondition,
): string | undefined {
  const column = knownColumn(table, leaf.path[0] ?? '')
  if (leaf.operator !== 'starts' || !isIndexed(table, column.name)) return undefined
  const ranges = prefixRanges(caseVariants(String(only(leaf.values)))).map(([from, below]) => {
    const lower = `${place} >= ${bind(draft, column, from)}`
    return below === undefined ? lower : `${lower} and ${place} < ${bind(draft, column, below)}`
  })
  return ranges.length === 0 ? undefined : `(${ranges.join(' or ')})`
}

function comparedBy(operator: string): LeafSql {
  return (draft, column, place, values) =>
    `${place} ${operator} ${bind(draft, column, only(values))}`
}

function only(values: readonly Exclude<Stored, null>[]): Exclude<Stored, null> {
  const [value] = values
  if (value === undefined || values.length !== 1) throw new Error('A comparison takes one value')
  return value
}
