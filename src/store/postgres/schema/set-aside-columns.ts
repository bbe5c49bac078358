/** Removed columns with values are renamed instead of dropped, to a name that no definition can have. */

import { PUBLIC_UPDATED_AT, PUBLIC_VERSION } from '../../../definition/model.ts'
import type { Table } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresColumn } from './existing-tables.ts'

/** Returns the statements that rename the column to `aside` and make it optional. */
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

/** Returns a new name with the time, so that a column of the same name can be set aside again. */
export function createSetAsideName(name: string): string {
  return `_${name.slice(0, 45)}_${Date.now().toString(36)}`
}

const ownNames: ReadonlySet<string> = new Set(['_identity', '_version', PUBLIC_VERSION, PUBLIC_UPDATED_AT])

/** Whether the name is that of a column set aside. */
export function isSetAside(name: string): boolean {
  return name.startsWith('_') && !ownNames.has(name)
}
