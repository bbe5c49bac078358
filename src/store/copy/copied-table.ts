/** The tables of a copy, for both databases: those of the definition and the system tables. */

import type { Stored } from '../../definition/model.ts'
import type { Column, Schema } from '../schema/table-schema.ts'
import { optionalLogColumns } from '../sql/change-log-sql.ts'
import { type Dialect, quoted } from '../sql/sql-text.ts'

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly CopiedColumn[]
  /** The unique columns by which rows are read in order. */
  readonly key: readonly string[]
}

export interface CopiedColumn {
  readonly name: string
  readonly type: Column['type'] | 'octets'
}

/** A decimal is text in both databases. */
export type CopiedValue = Stored | Uint8Array
export type CopiedRow = readonly CopiedValue[]

/** Without `_collections`, which is set at the end, `_meta`, and search words, which are rebuilt. */
const systemTables: readonly CopiedTable[] = [
  { name: '_secrets', columns: [text('name'), { name: 'value', type: 'octets' }], key: ['name'] },
  {
    name: '_changes',
    columns: [
      integer('position'),
      ...['kind', 'table', 'identity', 'id'].map(text),
      integer('version'),
      text('at'),
      ...optionalLogColumns.map(text),
    ],
    key: ['position'],
  },
  {
    name: '_history',
    columns: [
      ...['kind', 'table', 'identity', 'id'].map(text),
      integer('version'),
      text('at'),
      ...optionalLogColumns.map(text),
    ],
    key: ['table', 'identity', 'version'],
  },
  {
    name: '_audit',
    columns: [
      ...['number', 'position'].map(integer),
      ...['at', 'kind', 'table', 'identity', 'id'].map(text),
      integer('version'),
      ...['actor', 'by', 'request', 'digest', 'salt', 'hash'].map(text),
    ],
    key: ['number'],
  },
  {
    name: '_tombstones',
    columns: ['table', 'id', 'identity', 'at', 'values'].map(text),
    key: ['table', 'id'],
  },
  { name: '_moves', columns: ['table', 'id', 'identity'].map(text), key: ['table', 'id'] },
  {
    name: '_replays',
    columns: [...['name', 'fingerprint', 'answer'].map(text), integer('until')],
    key: ['name'],
  },
]

function text(name: string): CopiedColumn {
  return { name, type: 'text' }
}

function integer(name: string): CopiedColumn {
  return { name, type: 'integer' }
}

/** The tables of the definition, then the system tables. */
export function listCopiedTables(schema: Schema): readonly CopiedTable[] {
  const defined = Object.values(schema.tables).map(({ name, columns }) => ({
    name,
    columns: columns.map((column) => ({ name: column.name, type: column.type })),
    key: ['_identity'],
  }))
  return [...defined, ...systemTables]
}

/** Selects rows after a key, in key order. Parameters: the values of the key, then the limit. */
export function batchSql(
  { placeholder }: Dialect,
  { name, columns, key }: CopiedTable,
  start: 'first' | 'after',
): string {
  const selected = columns.map((column) =>
    column.type === 'decimal' ? `cast(${quoted(column.name)} as text)` : quoted(column.name),
  )
  const keys = key.map(quoted).join(', ')
  const parameters = key.map((_, at) => placeholder(at + 1)).join(', ')
  const where = start === 'first' ? '' : ` where (${keys}) > (${parameters})`
  const limit = placeholder(start === 'first' ? 1 : key.length + 1)
  return `select ${selected.join(', ')} from ${quoted(name)}${where} order by ${keys} limit ${limit}`
}

/** The values of the key columns. */
export function keyOfRow({ columns, key }: CopiedTable, row: CopiedRow): readonly Stored[] {
  return key.map((name) => {
    const at = columns.findIndex((column) => column.name === name)
    // Keys are text and numbers.
    return row[at] as Stored
  })
}

/** Selects the highest version of all rows and log entries. */
export function highestVersionSql({ tables }: Schema): string {
  const highest = [
    ...Object.keys(tables).map((name) => `select max("_version") as "v" from ${quoted(name)}`),
    'select max("version") as "v" from "_changes"',
  ]
  return `select coalesce(max(h."v"), 0) from (${highest.join(' union all ')}) h`
}
