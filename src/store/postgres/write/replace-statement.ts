/** Changes of rows, with their log entries, as one statement: one trip, whole or not at all. */

import { IDENTITY, UPDATED_AT, VERSION } from '../../../definition/model.ts'
import { memoizeByObject } from '../../../tools/memoize.ts'
import type { Row } from '../../row.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import { isClientNamed } from '../../sql/former-ids.ts'
import { boundValue, knownTable, quoted, type Statement } from '../../sql/sql-text.ts'
import { lasting, logColumns, type WriteStatements } from '../../sql/write-sql.ts'
import type { ReplaceWrite, Write, WriteOutcome } from '../../store.ts'
import type { PostgresQuery } from '../connection/connection.ts'
import { kept } from '../postgres-dialect.ts'

export interface Replacement {
  readonly table: Table
  readonly write: ReplaceWrite
}

/** The writes as one replacement: of one row, beside which nothing has to be asked or written. */
export function findReplacement(schema: Schema, writes: readonly Write[]): Replacement | undefined {
  const [write] = writes.length === 1 ? writes : []
  if (write?.kind !== 'replace' || write.result.kind !== 'always') return undefined
  const table = knownTable(schema, write.table)
  if (isClientNamed(table) || table.search.length > 0) return undefined
  return { table, write }
}

/** Gives a row where it was made. */
export function replacementStatement(
  statements: WriteStatements,
  { table, write }: Replacement,
): Statement {
  const { identity } = write
  const version = write.version + 1
  const row = write.values.with(IDENTITY, identity).with(VERSION, version)
  const { sql, values } = statements.update(table, write, row)
  const [id, number, at] = [1, 2, 3].map((place) => `$${values.length + place}`)
  const entry = `${id}::text, ${id}::text, ${number}::bigint, ${at}::text`
  return {
    sql: `with "_changed" as (${sql}) ${logSql(table, entry)} returning 1`,
    values: [...values, identity, version, row[UPDATED_AT] ?? null],
  }
}

/**
 * Of several rows, each at most once. What others hold is left out, so that nobody waits for it who
 * came with it. Each column is an array.
 */
export function replacementsStatement(
  table: Table,
  writes: readonly ReplaceWrite[],
): PostgresQuery {
  const columns = changing(table).map((column) => {
    const at = table.columns.indexOf(column)
    return writes.map(({ values }) => boundValue(column, values[at] ?? null))
  })
  const identities = writes.map(({ identity }) => identity)
  const versions = writes.map(({ version }) => version)
  return { sql: severalSql(table), values: [identities, versions, ...columns] }
}

/** What became of one of them, by the rows that the statement gave; undefined where it was left out. */
export function outcomeIn(
  given: readonly Row[],
): (write: ReplaceWrite) => WriteOutcome | undefined {
  const fates = new Map(given.map(([identity, fate]) => [identity, fate]))
  return ({ identity }) => {
    const fate = fates.get(identity)
    if (fate === 'made') return { kind: 'done' }
    return fate === 'stale' ? { kind: 'refused', index: 0, reason: { kind: 'stale' } } : undefined
  }
}

/** All but those that are counted, or set by the first insert and never after. */
const changing = memoizeByObject(({ columns }: Table) =>
  columns.filter(({ name }, at) => at !== VERSION && !lasting.has(name)),
)

/** No collection has a name that begins with an underscore. */
const severalSql = memoizeByObject((table: Table): string => {
  const own = quoted(table.name)
  const columns = changing(table)
  const names = columns.map(({ name }) => quoted(name))
  const types = ['text', 'bigint', ...columns.map(({ type }) => kept[type])]
  const places = types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')
  const asked = '_t."_identity" = _r."_identity" and _t."_version" = _r."_version"'
  const sets = ['_version', ...columns.map(({ name }) => name)].map(
    (name) => `${quoted(name)} = _r.${quoted(name)}${name === '_version' ? ' + 1' : ''}`,
  )
  const parts = [
    `"_rows" ("_identity", "_version", ${names.join(', ')}) as materialized (select * from unnest(${places}))`,
    `"_free" as materialized (select _t."_identity" from ${own} _t join "_rows" _r on ${asked} for no key update of _t skip locked)`,
    `"_changed" as (update ${own} as _t set ${sets.join(', ')} from "_rows" _r join "_free" using ("_identity") where ${asked} returning _t."_identity", _t."_version", _t."updatedAt")`,
    `"_logged" as (${logSql(table, '"_identity", "_identity", "_version", "updatedAt"')})`,
  ]
  const fate = `case when exists (select 1 from "_changed" _c where _c."_identity" = _r."_identity") then 'made' when exists (select 1 from ${own} _t where ${asked}) then 'held' else 'stale' end`
  return `with ${parts.join(', ')} select _r."_identity", ${fate} from "_rows" _r`
})

/** A collection's name has letters, digits and hyphens alone. */
function logSql({ name }: Table, entry: string): string {
  return `insert into "_changes" (${logColumns}) select 'replaced', '${name}', ${entry} from "_changed"`
}
