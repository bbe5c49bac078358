/** Repeats a read in the transaction that depends on it, and compares the rows that it gives. */

import { IDENTITY, VERSION } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Condition, DerivedValue } from '../condition.ts'
import type { Row } from '../row.ts'
import type { Schema } from '../schema/table-schema.ts'
import type { Order } from '../store.ts'
import type { RepeatedRead, RepeatRead, WriteRefusal } from '../write.ts'
import { parseAggregateRows } from './aggregate-sql.ts'
import { createQueries } from './query-sql.ts'
import { knownColumn, knownTable, type Statement } from './sql-text.ts'
import type { StatementProgram, WriteContext } from './statement-program.ts'
import type { WriteStatements } from './write-sql.ts'

/** Refused as `stale` where the read gives other rows, or rows in other versions. */
export function* repeatRead(
  { statements }: WriteContext,
  { read, found, tableStates }: RepeatRead,
): StatementProgram<WriteRefusal | undefined> {
  if (tableStates !== undefined && (yield* areUnchanged(statements, tableStates))) return undefined
  const selected = yield statementOf(statements, read)
  const rows = read.kind === 'aggregate' ? parseAggregateRows(read.query, selected) : selected
  return foundIn(read, rows) === found ? undefined : { kind: 'stale' }
}

function* areUnchanged(
  { dialect }: WriteStatements,
  tableStates: NonNullable<RepeatRead['tableStates']>,
): StatementProgram<boolean> {
  for (const { table, state } of tableStates) {
    const [row] = yield { sql: dialect.selectUnchangedTable, values: [table, state] }
    if (row === undefined) return false
  }
  return true
}

const queriesOf = memoizeByObject(({ schema, dialect }: WriteStatements) => createQueries(schema, dialect))

function statementOf(statements: WriteStatements, read: RepeatedRead): Statement {
  const queries = queriesOf(statements)
  switch (read.kind) {
    case 'find': {
      const { sql, values } = queries.find(read.query)
      return { sql: `${sql}${statements.dialect.shareRow}`, values }
    }
    case 'list':
      return queries.list(read.query)
    case 'count':
      return queries.count(read.table, read.condition, read)
    case 'aggregate':
      return queries.aggregate(read.query)
  }
}

/** The result of a read as a text to compare: identities and versions in order, or the numbers. */
export function foundIn({ kind }: RepeatedRead, rows: readonly Row[]): string {
  if (kind === 'count') return String(rows[0]?.[0])
  if (kind === 'aggregate') return JSON.stringify(rows.map((row) => row.map(String)).toSorted())
  return JSON.stringify(rows.map((row) => [row[IDENTITY], Number(row[VERSION])]))
}

/** The tables to lock for a read. None for a row that was found by its id: the row itself is locked. */
export function tablesToLock(schema: Schema, { read, found }: RepeatRead): ReadonlySet<string> {
  const tables = tablesRead(schema, read)
  // A row that is absent cannot be locked.
  if (read.kind === 'find' && found !== '[]') tables.delete(read.query.table)
  return tables
}

/** All tables that a read depends on. */
export function tablesRead(schema: Schema, read: RepeatedRead): Set<string> {
  const tables = new Set<string>()
  switch (read.kind) {
    case 'find':
      tables.add(read.query.table)
      for (const condition of read.query.evaluated) addTables(schema, read.query.table, condition, tables)
      break
    case 'list':
      tables.add(read.query.table)
      addTables(schema, read.query.table, read.query.condition, tables)
      addOrder(schema, read.query.table, read.query.order, tables)
      break
    case 'count':
      tables.add(read.table)
      addTables(schema, read.table, read.condition, tables)
      break
    case 'aggregate':
      tables.add(read.query.table)
      addTables(schema, read.query.table, read.query.condition, tables)
  }
  return tables
}

function addTables(schema: Schema, table: string, condition: Condition, tables: Set<string>): void {
  switch (condition.kind) {
    case 'always':
    case 'never':
    case 'search':
      return
    case 'compare':
      addPath(schema, table, condition.path, tables)
      return
    case 'equal-columns':
      for (const path of condition.paths) addPath(schema, table, path, tables)
      return
    case 'reference': {
      const target = targetOf(schema, table, condition.reference)
      tables.add(target)
      addTables(schema, target, condition.of, tables)
      return
    }
    case 'exists':
      tables.add(condition.table)
      for (const { path } of condition.pairs) addPath(schema, table, path, tables)
      addTables(schema, condition.table, condition.of, tables)
      return
    case 'not':
      addTables(schema, table, condition.of, tables)
      return
    case 'derived':
      addDerived(schema, condition.value, tables)
      return
    case 'all':
    case 'any':
      for (const one of condition.of) addTables(schema, table, one, tables)
  }
}

function addPath(schema: Schema, table: string, path: readonly string[], tables: Set<string>): void {
  let from = table
  for (const reference of path.slice(0, -1)) {
    from = targetOf(schema, from, reference)
    tables.add(from)
  }
}

function addOrder(schema: Schema, table: string, order: readonly Order[], tables: Set<string>): void {
  for (const { through = [], derived } of order) {
    if (derived) addDerived(schema, derived, tables)
    let from = table
    for (const { reference, condition } of through) {
      from = targetOf(schema, from, reference)
      tables.add(from)
      addTables(schema, from, condition, tables)
    }
  }
}

function addDerived(schema: Schema, { table, condition }: DerivedValue, tables: Set<string>): void {
  tables.add(table)
  addTables(schema, table, condition, tables)
}

function targetOf(schema: Schema, table: string, reference: string): string {
  const { references, elements } = knownColumn(knownTable(schema, table), reference)
  const target = references ?? elements
  if (target === undefined) throw new Error(`'${table}.${reference}' is not a reference`)
  return target.table
}
