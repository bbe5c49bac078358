/** Finds the columns of a slow list that have no index, for the log. */

import type { Condition, DerivedValue } from '../condition.ts'
import type { GroupQuery } from '../group-query.ts'
import type { Schema, Table } from '../schema/table-schema.ts'
import type { Order } from '../store.ts'
import { isIndexed } from './comparison-sql.ts'
import { knownColumn, knownTable } from './sql-text.ts'

/**
 * The columns in the condition and the order that begin no index, as `table.column`. An order through
 * references has no index: `table.reference.column`.
 */
export function unindexedColumns(
  schema: Schema,
  name: string,
  { condition, order }: { readonly condition: Condition; readonly order: readonly Order[] },
): readonly string[] {
  const table = knownTable(schema, name)
  const own = order.flatMap(({ through, derived, column }) =>
    derived ? derivedColumns(schema, derived) : through ? [] : [{ table, column }],
  )
  const columns = [...comparedColumns(schema, table, condition), ...own]
  const lacking = columns.filter((compared) => !isIndexed(compared.table, compared.column))
  const paths = order.flatMap(({ through, derived, column }) =>
    through && !derived ? [[name, ...through.map(({ reference }) => reference), column].join('.')] : [],
  )
  return [...new Set([...lacking.map((compared) => `${compared.table.name}.${compared.column}`), ...paths])]
}

/** The condition of an aggregation, and its groups as an order. */
export function groupedQuery({ condition, groups }: GroupQuery) {
  return { condition, order: groups.map(({ column }) => ({ column, descending: false })) }
}

interface TableColumn {
  readonly table: Table
  readonly column: string
}

function comparedColumns(schema: Schema, table: Table, condition: Condition): readonly TableColumn[] {
  switch (condition.kind) {
    case 'always':
    case 'never':
    case 'search':
      return []
    case 'not':
      return comparedColumns(schema, table, condition.of)
    case 'all':
    case 'any':
      return condition.of.flatMap((one) => comparedColumns(schema, table, one))
    case 'reference':
      return comparedColumns(schema, referred(schema, table, condition.reference), condition.of)
    case 'exists':
      return [
        ...condition.pairs.map(({ path }) => columnAtPath(schema, table, path)),
        ...comparedColumns(schema, knownTable(schema, condition.table), condition.of),
      ]
    case 'equal-columns':
      return condition.paths.map((path) => columnAtPath(schema, table, path))
    case 'derived':
      return derivedColumns(schema, condition.value)
    case 'compare':
      return [columnAtPath(schema, table, condition.path)]
  }
}

function derivedColumns(
  schema: Schema,
  { table, reference, condition }: DerivedValue,
): readonly TableColumn[] {
  const others = knownTable(schema, table)
  return [{ table: others, column: reference }, ...comparedColumns(schema, others, condition)]
}

/** The column at the end of the path. */
function columnAtPath(schema: Schema, table: Table, path: readonly string[]): TableColumn {
  const [column = '', ...rest] = path
  if (rest.length === 0) return { table, column }
  return columnAtPath(schema, referred(schema, table, column), rest)
}

function referred(schema: Schema, table: Table, reference: string): Table {
  const { references, elements } = knownColumn(table, reference)
  return knownTable(schema, (references ?? elements)?.table ?? '')
}
