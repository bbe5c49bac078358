/** Changes of rows, with their log entries, as one statement: one trip, whole or not at all. */

import { IDENTITY, UPDATED_AT, VERSION } from '../../declare/model.ts'
import { oncePer } from '../../once.ts'
import { isNamed } from '../moves.ts'
import type { Schema, Table } from '../schema.ts'
import { boundValue, knownTable, quoted, type Statement } from '../sql.ts'
import type { ReplaceWrite, Write } from '../store.ts'
import { lasting, type WriteStatements } from '../write-sql.ts'
import type { Question } from './connection.ts'
import { kept } from './dialect.ts'
import { hasUnique } from './insertion.ts'

export interface Replacement {
  readonly table: Table
  readonly write: ReplaceWrite
}

/** The writes as one replacement: of one row, beside which nothing has to be asked or written. */
export function findReplacement(schema: Schema, writes: readonly Write[]): Replacement | undefined {
  const [write] = writes.length === 1 ? writes : []
  if (write?.kind !== 'replace' || write.result.kind !== 'always') return undefined
  const table = knownTable(schema, write.table)
  if (isNamed(table) || table.search.length > 0) return undefined
  return { table, write }
}

/** Whether it may be made together with those of other requests, for it is hardly ever refused. */
export function isSociable({ table, write }: Replacement): boolean {
  return write.guard.kind === 'always' && !hasUnique(table)
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
    sql: `with "changed" as (${sql}) ${logSql(table, entry)} returning 1`,
    values: [...values, identity, version, row[UPDATED_AT] ?? null],
  }
}

/**
 * Gives the identities of those that were made; what others hold is left out, so that nobody waits
 * for it who came with it. Each column is an array.
 */
export function replacementsStatement(table: Table, writes: readonly ReplaceWrite[]): Question {
  const columns = changing(table).map((column) => {
    const at = table.columns.indexOf(column)
    return writes.map(({ values }) => boundValue(column, values[at] ?? null))
  })
  const identities = writes.map(({ identity }) => identity)
  const versions = writes.map(({ version }) => version)
  return { sql: severalSql(table), values: [identities, versions, ...columns] }
}

/** All but those that are counted, or set by the first insert and never after. */
const changing = oncePer(({ columns }: Table) =>
  columns.filter(({ name }, at) => at !== VERSION && !lasting.has(name)),
)

const severalSql = oncePer((table: Table): string => {
  const columns = changing(table)
  const names = columns.map(({ name }) => quoted(name))
  const arrays = ['text', 'bigint', ...columns.map(({ type }) => kept[type])]
  const places = arrays.map((type, at) => `$${at + 1}::${type}[]`).join(', ')
  const own = quoted(table.name)
  const is = '_t."_identity" = "rows"."_identity" and _t."_version" = "rows"."_version"'
  const free = `select _t."_identity" from ${own} _t join "rows" on ${is} for no key update of _t skip locked`
  const sets = [
    '"_version" = "rows"."_version" + 1',
    ...names.map((name) => `${name} = "rows".${name}`),
  ]
  const update = `update ${own} as _t set ${sets.join(', ')} from "rows" join "free" using ("_identity") where ${is}`
  return [
    `with "rows" ("_identity", "_version", ${names.join(', ')}) as materialized (select * from unnest(${places}))`,
    `"free" as materialized (${free})`,
    `"changed" as (${update} returning _t."_identity", _t."_version", _t."updatedAt") ${logSql(table, '"_identity", "_identity", "_version", "updatedAt"')} returning "identity"`,
  ].join(', ')
})

/** A collection's name has letters, digits and hyphens alone. */
function logSql({ name }: Table, entry: string): string {
  return `insert into "_changes" ("kind", "table", "identity", "id", "version", "at") select 'replaced', '${name}', ${entry} from "changed"`
}
