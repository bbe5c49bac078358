/** Columns that stay under a name that no definition can have, so that nothing is lost for good. */

import type { Table } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresColumn } from './existing-tables.ts'

/** The statements that give the column that name and let it be absent. */
export function setAsideSql(table: Table, column: PostgresColumn, aside: string): string[] {
  const change = `alter table ${quoted(table.name)}`
  const name = quoted(column.name)
  const { references } = column
  return [
    ...(references ? [`${change} drop constraint ${quoted(references.name)}`] : []),
    ...(column.required ? [`${change} alter column ${name} drop not null`] : []),
    ...(column.hasDefault ? [`${change} alter column ${name} drop default`] : []),
    `${change} rename column ${name} to ${quoted(aside)}`,
  ]
}

/** Unique enough where a column of the same name is set aside twice. */
export function setAsideName(name: string): string {
  return `_${name.slice(0, 45)}_${Date.now().toString(36)}`
}

export function isSetAside(name: string): boolean {
  return name.startsWith('_') && name !== '_identity' && name !== '_version'
}
