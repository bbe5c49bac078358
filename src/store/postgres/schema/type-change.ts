/** A column that gets another type: its values are converted where that is exact. */

import type { MigrationStep } from '../../schema/migration-plan.ts'
import { createLimitsCheck } from '../../schema/stored-limits.ts'
import type { Column, Table } from '../../schema/table-schema.ts'
import {
  type Conversion,
  type ConversionDialect,
  findConversion,
} from '../../schema/type-conversion.ts'
import { quoted } from '../../sql/sql-text.ts'
import { columnTypes } from '../postgres-dialect.ts'
import type { PostgresColumn } from './existing-tables.ts'
import { locks } from './migration-locks.ts'
import { checkRows } from './narrowed-limits.ts'
import { setAsideName, setAsideSql } from './set-aside-columns.ts'
import {
  change,
  countRows,
  namedRows,
  newReference,
  type PostgresTableContext,
  type PostgresTablePair,
  placeOf,
} from './table-context.ts'
import { addColumnSql, literal, scaleSql, typeName } from './table-sql.ts'

/** The present column is set aside; its values are converted into a new one where that is exact. */
export async function typeChange(
  context: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
): Promise<MigrationStep[]> {
  const { table } = context
  const used = await countRows(context, `${quoted(was.name)} is not null`)
  const line = `change the type of ${placeOf(context, column)} from ${was.type} to ${typeName(column)}`
  const aside = setAsideName(column.name)
  const name = quoted(column.name)
  const conversion = conversionOf(context, column, was)
  const sql = [
    `update ${quoted(table.name)} set "_version" = "_version" + 1 where ${name} is not null`,
    ...setAsideSql(table, { ...was, name: column.name }, aside),
    ...(conversion && used > 0
      ? convertSql(table, column, { aside, conversion: conversion(quoted(aside)) })
      : [addColumnSql(table, column)]),
    ...scaleSql(table, column),
  ]
  const step = { ...change, lock: used === 0 ? locks.moment : locks.write, line, rows: used, sql }
  if (used === 0) return [step, ...newReference(context, column)]
  const outcome = conversion
    ? await converted(context, { column, was }, conversion(quoted(was.name)))
    : unconverted(column)
  return [{ ...step, ...outcome }, ...newReference(context, column)]
}

function conversionOf({ now, limits }: PostgresTableContext, column: Column, was: PostgresColumn) {
  const kind = limits[now.name]?.[was.name]?.[0]?.kind
  const from = formOf(was.type)
  if (kind === undefined || from === undefined || column.limits === undefined) return undefined
  const to = { type: column.type, scale: column.scale ?? 0, kind: column.limits.kind }
  const made = (name: string) => findConversion({ from: { ...from, kind }, to }, name, dialect)
  return made('x') === undefined ? undefined : (name: string) => made(name)!
}

const dialect: ConversionDialect = {
  types: { text: 'text', integer: columnTypes.integer, real: columnTypes.real },
  isWhole: (text) => `${text} ~ '^(0|-?[1-9][0-9]{0,15})$'`,
}

/** From the type that the catalogue tells. */
function formOf(type: string): { type: Column['type']; scale: number } | undefined {
  const plainTypes = ['text', 'integer', 'real'] as const
  const known = plainTypes.find((one) => columnTypes[one] === type)
  if (known !== undefined) return { type: known, scale: 0 }
  const [, scale] = /^decimal\(18,(\d+)\)$/.exec(type) ?? []
  return scale === undefined ? undefined : { type: 'decimal', scale: Number(scale) }
}

/** A required column is filled before it is required. */
function convertSql(
  table: Table,
  column: Column,
  { aside, conversion }: { readonly aside: string; readonly conversion: Conversion },
): string[] {
  const alter = `alter table ${quoted(table.name)}`
  const name = quoted(column.name)
  const { value, possible } = conversion
  const other = column.default === undefined ? 'null' : literal(column.default)
  const absent = column.required ? '' : `when ${quoted(aside)} is null then null `
  const filled = `case ${absent}when ${possible} then ${value} else ${other} end`
  return [
    addColumnSql(table, { ...column, required: false }),
    `update ${quoted(table.name)} set ${name} = ${filled}`,
    ...(column.required ? [`${alter} alter column ${name} set not null`] : []),
  ]
}

type Outcome = Pick<MigrationStep, 'obstacle' | 'loss'>

function unconverted(column: Column): Outcome {
  const lacking = column.required && column.default === undefined
  const obstacle = lacking
    ? 'it is required, its values do not fit, and it has no default'
    : undefined
  return { obstacle, loss: 'its values are not converted; they are set aside' }
}

/** What becomes of the values; those that cannot be converted are named. */
async function converted(
  context: PostgresTableContext,
  { column, was }: PostgresTablePair,
  { value, possible }: Conversion,
): Promise<Outcome> {
  const name = quoted(was!.name)
  const left = `${name} is not null and not (${possible})`
  const unlike = await countRows(context, left)
  const words = `${await namedRows(context, left)} a value that cannot be converted`
  const lacking = column.required && column.default === undefined
  if (unlike > 0 && lacking) return { obstacle: words, loss: undefined }
  const against = createLimitsCheck(column, column.limits!, [])
  const shown = column.type === 'decimal' ? `cast(${value} as text)` : value
  const where = `${name} is not null and ${possible}`
  await checkRows(context, { shown: `case when ${possible} then ${shown} end`, where }, against)
  const found = against.result()
  const loss = unlike > 0 ? `${words}; it is set aside` : found.loss
  return { obstacle: found.obstacle, loss }
}
