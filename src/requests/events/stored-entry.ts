/** Entries of the change log as text, for readers that need them longer than the log keeps them. */

import type { ChangeLogEntry } from '../../store/change-log.ts'
import type { Schema } from '../../store/schema/table-schema.ts'
import { formatPreviousValues, formatValues, parseLoggedRows } from '../../store/sql/logged-values.ts'
import { knownTable } from '../../store/sql/sql-text.ts'

/** The entry with the names of its columns, so that it can be read after a migration. */
export function formatEntry(schema: Schema, entry: ChangeLogEntry): string {
  const table = knownTable(schema, entry.table)
  const { before, after } = entry
  const values = {
    before: before
      ? after
        ? formatPreviousValues(table, before, after)
        : formatValues(table, before)
      : null,
    after: after ? formatValues(table, after) : null,
  }
  return JSON.stringify({ ...entry, ...values })
}

/** Whether the text is of an entry about the item. */
export function isEntryAbout(text: string, { table, identity }: Pick<ChangeLogEntry, 'table' | 'identity'>) {
  const entry: Pick<ChangeLogEntry, 'table' | 'identity'> = JSON.parse(text)
  return entry.table === table && entry.identity === identity
}

/** The entry; without values where its table does not exist any more. */
export function parseEntryText(schema: Schema, text: string): ChangeLogEntry {
  const entry = JSON.parse(text)
  const table = Object.hasOwn(schema.tables, entry.table) ? schema.tables[entry.table] : undefined
  return { ...entry, ...parseLoggedRows(table, entry) }
}
