/**
 * Conditions as SQL. A comparison that follows references becomes an EXISTS, so that a broken or
 * missing step makes it false; `not` is two-valued whatever is missing inside.
 */

import type { Stored } from '../declare/model.ts'
import type { Comparison, Condition, Operator } from './condition.ts'
import type { Column, Table } from './schema.ts'
import { bind, bindRaw, type Draft, knownColumn, knownTable, quoted } from './sql.ts'

/** The name under which every statement knows the row that conditions are about; no table has it. */
export const ROW = '_t'

/** An expression that is true where the condition holds; false or null where not. */
export function conditionSql(draft: Draft, table: Table, condition: Condition): string {
  switch (condition.kind) {
    case 'always':
      return 'true'
    case 'never':
      return 'false'
    case 'compare':
      return comparisonSql(draft, { table, depth: 0 }, condition)
    case 'not':
      return `((${conditionSql(draft, table, condition.of)}) is not true)`
    case 'all':
      return joined(draft, table, condition.of, ' and ') ?? 'true'
    case 'any':
      return joined(draft, table, condition.of, ' or ') ?? 'false'
  }
}

/** 1 or 0, never null: the answer to an ask. */
export function answerSql(draft: Draft, table: Table, condition: Condition): string {
  return `(${conditionSql(draft, table, condition)}) is true`
}

function joined(draft: Draft, table: Table, of: readonly Condition[], by: string) {
  if (of.length === 0) return undefined
  return `(${of.map((condition) => conditionSql(draft, table, condition)).join(by)})`
}

/** Where a path has come to: a table, and how many references were followed. */
interface Step {
  readonly table: Table
  readonly depth: number
}

function comparisonSql(draft: Draft, step: Step, comparison: Comparison): string {
  if (comparison.operator !== 'missing' || comparison.path.length < 2) {
    return pathSql(draft, step, comparison)
  }
  return `(not ${pathSql(draft, step, { ...comparison, operator: 'present' })})`
}

type Leaf = Omit<Comparison, 'operator'> & { readonly operator: Operator | 'present' }

function pathSql(draft: Draft, step: Step, leaf: Leaf): string {
  const [name, ...rest] = leaf.path
  const column = knownColumn(step.table, name ?? '')
  const place = `${alias(step.depth)}.${quoted(column.name)}`
  if (rest.length === 0) return operators[leaf.operator](draft, column, place, leaf.values)
  if (column.references === undefined) {
    throw new Error(`'${step.table.name}.${column.name}' is no reference to follow`)
  }
  const next = { table: knownTable(draft.schema, column.references.table), depth: step.depth + 1 }
  const row = alias(next.depth)
  const inner = pathSql(draft, next, { ...leaf, path: rest })
  const target = `${quoted(next.table.name)} ${row}`
  return `exists (select 1 from ${target} where ${row}."_identity" = ${place} and ${inner})`
}

function alias(depth: number): string {
  return depth === 0 ? ROW : `r${depth}`
}

type LeafSql = (
  draft: Draft,
  column: Column,
  place: string,
  values: readonly Exclude<Stored, null>[],
) => string

const operators: Readonly<Record<Leaf['operator'], LeafSql>> = {
  eq: comparedBy('='),
  ne: comparedBy('<>'),
  lt: comparedBy('<'),
  lte: comparedBy('<='),
  gt: comparedBy('>'),
  gte: comparedBy('>='),
  in(draft, column, place, values) {
    if (values.length === 0) return 'false'
    return `${place} in (${values.map((value) => bind(draft, column, value)).join(', ')})`
  },
  contains: (draft, _column, place, values) =>
    draft.dialect.contains(place, bindRaw(draft, only(values))),
  starts: (draft, _column, place, values) =>
    draft.dialect.starts(place, () => bindRaw(draft, only(values))),
  has: (draft, _column, place, values) => draft.dialect.has(place, bindRaw(draft, only(values))),
  missing: (_draft, _column, place) => `${place} is null`,
  present: (_draft, _column, place) => `${place} is not null`,
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
