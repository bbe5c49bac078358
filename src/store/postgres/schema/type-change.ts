/** The migration steps for a column whose type changes. */

import type { MigrationStep } from '../../schema/migration-plan.ts'
import { formatColumn, lacksDefault } from '../../schema/planned-table.ts'
import { createLimitsCheck } from '../../schema/stored-limits.ts'
import type { Column, Table } from '../../schema/table-schema.ts'
import {
  type Conversion,
  type ConversionDialect,
  findColumnConversion,
  unconvertible,
} from '../../schema/type-conversion.ts'
import { literalSql, quoted } from '../../sql/sql-text.ts'
import { columnTypes } from '../postgres-dialect.ts'
import type { PostgresColumn } from './existing-tables.ts'
import { locks } from './migration-locks.ts'
import { createSetAsideName, setAsideSql } from './set-aside-columns.ts'
import {
  change,
  checkRows,
  countRows,
  namedRows,
  newReference,
  nextVersionSql,
  type PostgresColumnPair,
  type PostgresTableContext,
} from './table-context.ts'
import { addColumnSql, comparedType, scaleCommentSql } from './table-sql.ts'

/** Sets the present column aside and converts its values into a new column where that is exact. */
export async function typeChange(
  context: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
): Promise<MigrationStep[]> {
  const { table } = context
  const used = await countRows(context, `${quoted(was.name)} is not null`)
  const line = `change the type of ${formatColumn(context, column)} from ${was.type} to ${comparedType(column)}`
  const aside = createSetAsideName(column.name)
  const name = quoted(column.name)
  const conversion = findColumnConversion(context, column, was, dialect)
  const sql = [
    `update ${quoted(table.name)} set ${nextVersionSql(context.now)} where ${name} is not null`,
    ...setAsideSql(table, { ...was, name: column.name }, aside),
    ...(conversion && used > 0
      ? convertSql(table, column, { aside, conversion: conversion(quoted(aside)) })
      : [addColumnSql(table, column)]),
    ...scaleCommentSql(table, column),
  ]
  const step = { ...change, lock: used === 0 ? locks.brief : locks.write, line, rows: used, sql }
  if (used === 0) return [step, ...newReference(context, column)]
  const outcome = conversion
    ? await checkConversion(context, { column, was }, conversion(quoted(was.name)))
    : unconvertible(column, 'its values are not converted; they are set aside')
  return [{ ...step, ...outcome }, ...newReference(context, column)]
}

const dialect: ConversionDialect = {
  types: { text: 'text', integer: columnTypes.integer, real: columnTypes.real },
  isWhole: (text) => `${text} ~ '^(0|-?[1-9][0-9]{0,15})$'`,
}

/** A required column becomes `not null` after it has values. */
function convertSql(
  table: Table,
  column: Column,
  { aside, conversion }: { readonly aside: string; readonly conversion: Conversion },
): string[] {
  const alter = `alter table ${quoted(table.name)}`
  const name = quoted(column.name)
  const { value, possible } = conversion
  const other = column.default === undefined ? 'null' : literalSql(column.default)
  const absent = column.required ? '' : `when ${quoted(aside)} is null then null `
  const filled = `case ${absent}when ${possible} then ${value} else ${other} end`
  return [
    addColumnSql(table, { ...column, required: false }),
    `update ${quoted(table.name)} set ${name} = ${filled}`,
    ...(column.required ? [`${alter} alter column ${name} set not null`] : []),
  ]
}

type Outcome = Pick<MigrationStep, 'obstacle' | 'loss'>

/** Finds the values that cannot be converted or exceed the limits of the new column. */
async function checkConversion(
  context: PostgresTableContext,
  { column, was }: PostgresColumnPair,
  { value, possible }: Conversion,
): Promise<Outcome> {
  const name = quoted(was!.name)
  const inconvertible = `${name} is not null and not (${possible})`
  const count = await countRows(context, inconvertible)
  const text = `${await namedRows(context, inconvertible)} a value that cannot be converted`
  if (count > 0 && lacksDefault(column)) return { obstacle: text, loss: undefined }
  const check = createLimitsCheck(column.limits!, [])
  const converted = column.type === 'decimal' ? `cast(${value} as text)` : value
  const where = `${name} is not null and ${possible}`
  await checkRows(context, { expression: `case when ${possible} then ${converted} end`, where }, check)
  const found = check.result()
  const loss = count > 0 ? `${text}; it is set aside` : found.loss
  return { obstacle: found.obstacle, loss }
}
