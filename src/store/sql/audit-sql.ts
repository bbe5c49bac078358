/** The SQL of the audit, for both databases. */

import type { Stored } from '../../definition/model.ts'
import {
  type AuditEntry,
  type AuditQuery,
  type ChainEnd,
  emptyChain,
  maxScannedEntries,
} from '../audit-chain.ts'
import type { ErasedRow } from '../audit-store.ts'
import type { Row } from '../row.ts'
import type { Dialect, Statement } from './sql-text.ts'

export const auditColumnNames = [
  'number',
  'position',
  'at',
  'kind',
  'table',
  'identity',
  'id',
  'version',
  'actor',
  'by',
  'request',
  'digest',
  'salt',
  'hash',
]
export const auditColumns = auditColumnNames.map((name) => `"${name}"`).join(', ')

/** The name of the record in `_meta` with the end of the pruned part of the chain. */
export const checkpointRecord = 'audit-checkpoint'

/** Selects the end of the pruned part of the chain, for `parseCheckpoint`. */
export function checkpointStatement({ placeholder }: Dialect): Statement {
  return { sql: `select "value" from "_meta" where "name" = ${placeholder(1)}`, values: [checkpointRecord] }
}

/** Selects the last entry, for `parseChainEnd`. */
export const chainEndSql = `select "number", "position", "hash" from "_audit" order by "number" desc limit 1`

/** The table that an entry of the log names which records an event. No other reader of the log knows it. */
export function eventTableOf(table: string): string {
  return eventPrefix + table
}

/** Of the tables that entries of the log name which record events. */
export const eventPrefix = '_events:'

/** The text; undefined for other values. */
export function textOf(value: Stored | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Selects entries of the audit, among so many, for `parseAuditEntry`. */
export function auditStatement({ placeholder }: Dialect, query: AuditQuery): Statement {
  const { direction, number, limit, filter } = query
  const values: Stored[] = []
  const bind = (value: Stored) => {
    values.push(value)
    return placeholder(values.length)
  }
  const [operator, order] = direction === 'older' ? ['<', 'desc'] : ['>', 'asc']
  const conditions = [`"number" ${operator} ${bind(number)}`]
  if (direction === 'older') conditions.push(`"number" >= ${bind(number - maxScannedEntries)}`)
  else conditions.push(`"number" <= ${bind(number + maxScannedEntries)}`)
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(`"${column}" = ${bind(value)}`)
  }
  equal('kind', filter.kind)
  equal('table', filter.table)
  equal('id', filter.id)
  equal('by', filter.actor)
  if (filter.from !== undefined) conditions.push(`"at" >= ${bind(filter.from)}`)
  if (filter.to !== undefined) conditions.push(`"at" <= ${bind(filter.to)}`)
  const sql = `select ${auditColumns} from "_audit" where ${conditions.join(' and ')} order by "number" ${order} limit ${bind(limit)}`
  return { sql, values }
}

export function parseAuditEntry(row: Row): AuditEntry {
  const [number, position, at, kind, table, identity, id, version, actor, , request, digest, salt, hash] = row
  return {
    number: Number(number),
    position: Number(position),
    at: String(at),
    kind: String(kind),
    table: String(table),
    identity: String(identity),
    id: String(id),
    version: Number(version),
    actor: textOf(actor),
    request: textOf(request),
    digest: String(digest),
    salt: textOf(salt),
    hash: String(hash),
  }
}

/** The last entry. */
export function parseChainEnd([number, position, hash]: Row): ChainEnd {
  return { number: Number(number), position: Number(position), hash: String(hash) }
}

/** The end of the pruned part of the chain. */
export function parseCheckpoint(row: Row | undefined): ChainEnd {
  return row ? JSON.parse(String(row[0])) : emptyChain
}

/** Selects the oldest entries: number, position, hash and time. */
export function oldestAuditStatement({ placeholder }: Dialect, limit: number): Statement {
  const sql = `select "number", "position", "hash", "at" from "_audit" order by "number" limit ${placeholder(1)}`
  return { sql, values: [limit] }
}

/** Deletes entries up to the checkpoint and stores it. */
export function pruneAuditStatements({ placeholder }: Dialect, checkpoint: ChainEnd): readonly Statement[] {
  const record = `insert into "_meta" ("name", "value") values (${placeholder(1)}, ${placeholder(2)}) on conflict ("name") do update set "value" = excluded."value"`
  return [
    { sql: record, values: [checkpointRecord, JSON.stringify(checkpoint)] },
    { sql: `delete from "_audit" where "number" <= ${placeholder(1)}`, values: [checkpoint.number] },
  ]
}

/** Where pruning of rows from `oldestAuditStatement` ends; undefined where none is older than the time. */
export function findAuditCheckpoint(rows: readonly Row[], before: string): ChainEnd | undefined {
  const end = rows.findIndex((row) => String(row[3]) >= before)
  const last = rows[(end === -1 ? rows.length : end) - 1]
  return last && parseChainEnd(last)
}

/** Selects the number of audit entries, and the values that the log or a history still has of them. */
export function auditedValuesStatement({ placeholder }: Dialect, from: number, through: number): Statement {
  const [a, b, c, d] = [1, 2, 3, 4].map((place) => placeholder(place))
  const logged = `select a."number", c."before", c."after" from "_audit" a join "_changes" c on c."position" = a."position" where a."number" >= ${a} and a."number" <= ${b}`
  const kept = `select a."number", h."before", h."after" from "_audit" a join "_history" h on h."table" = a."table" and h."identity" = a."identity" and h."version" = a."version" where a."number" >= ${c} and a."number" <= ${d} and a."kind" not in ('deleted', 'token-revoked') and not exists (select 1 from "_changes" o where o."position" = a."position")`
  return { sql: `${logged} union all ${kept}`, values: [from, through, from, through] }
}

/** Selects the position of an entry of the log, between two positions, that the audit does not have. */
export function unauditedStatement({ placeholder }: Dialect, from: number, through: number): Statement {
  const range = `c."position" > ${placeholder(1)} and c."position" <= ${placeholder(2)}`
  const sql = `select c."position" from "_changes" c where ${range} and not exists (select 1 from "_audit" a where a."position" = c."position") limit 1`
  return { sql, values: [from, through] }
}

/** Removes the logged values of a row; the chain stays as it is. */
export function eraseStatements(
  { placeholder }: Dialect,
  { table, identity, names = [] }: ErasedRow,
): readonly Statement[] {
  const values = [table, identity]
  const where = `where "table" = ${placeholder(1)} and "identity" = ${placeholder(2)}`
  return [
    { sql: `update "_changes" set "before" = null, "after" = null ${where}`, values },
    { sql: `delete from "_history" ${where}`, values },
    { sql: `delete from "_tombstones" ${where}`, values },
    { sql: `update "_audit" set "salt" = null ${where}`, values },
    // Both databases have `replace`; patterns would need escapes.
    ...names.map((name) => ({
      sql: `delete from "_replays" where replace("answer", ${placeholder(1)}, '') <> "answer"`,
      values: [name],
    })),
  ]
}
