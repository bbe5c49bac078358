/** The SQL of the audit, for both databases. */

import { randomBytes } from 'node:crypto'
import type { Stored } from '../../definition/model.ts'
import {
  type AuditEntry,
  type AuditMetadata,
  type AuditQuery,
  type AuditSubjects,
  type ChainEnd,
  chainEntry,
  emptyChain,
  maxScannedEntries,
} from '../audit.ts'
import type { Actor } from '../change-log.ts'
import type { Row } from '../row.ts'
import { logColumns } from './change-log-sql.ts'
import type { Dialect, Statement } from './sql-text.ts'

const columnNames = [
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
const numberNames: ReadonlySet<string> = new Set(['number', 'position', 'version'])
export const auditColumns = columnNames.map((name) => `"${name}"`).join(', ')

/** The name of the record in `_meta` with the end of the pruned part of the chain. */
export const checkpointRecord = 'audit-checkpoint'

/** Selects the last entry, and the checkpoint for a chain without entries. */
export const chainEndSql = `select "number", "position", "hash" from "_audit" order by "number" desc limit 1`

/** Selects entries of the change log after a position, with their values as texts, for `sealStatements`. */
export function unsealedStatement({ placeholder }: Dialect, after: number, limit: number): Statement {
  const [first, second] = [placeholder(1), placeholder(2)]
  const sql = `select "position", ${logColumns} from "_changes" where "position" > ${first} order by "position" limit ${second}`
  return { sql, values: [after, limit] }
}

/** The table that an entry of the log names which records an event. No other reader of the log knows it. */
export function eventTableOf(table: string): string {
  return eventPrefix + table
}

const eventPrefix = '_events:'

const saltOctets = 16

/** Inserts that continue the chain with these rows of `unsealedStatement`. None applies if the chain has another end. */
export function sealStatements(
  { placeholder }: Dialect,
  end: ChainEnd,
  rows: readonly Row[],
  subjects: AuditSubjects,
): readonly Statement[] {
  const places = columnNames.map((name, at) => {
    return `cast(${placeholder(at + 1)} as ${numberNames.has(name) ? 'bigint' : 'text'})`
  })
  const last = `coalesce((select "hash" from "_audit" order by "number" desc limit 1), ${placeholder(places.length + 1)})`
  const isEnd = `${last} = ${placeholder(places.length + 2)}`
  const sql = `insert into "_audit" (${auditColumns}) select ${places.join(', ')} where ${isEnd}`
  // Once for all rows: the entropy pool of the operating system is slow to ask.
  const salts = randomBytes(saltOctets * rows.length)
  let tail = end
  return rows.map((row, at) => {
    const [before, after] = row.slice(-2)
    const values = { before: textOf(before), after: textOf(after) }
    const salt = salts.toString('base64url', at * saltOctets, (at + 1) * saltOctets)
    const entry = chainEntry(tail, metadataOf(row, subjects), values, salt)
    const statement = { sql, values: [...valuesOf(entry), end.hash, tail.hash] }
    tail = entry
    return statement
  })
}

function valuesOf(entry: AuditEntry): readonly Stored[] {
  const { number, position, at, kind, table, identity, id, version } = entry
  const { actor = null, request = null, digest, salt = null, hash } = entry
  const head = [number, position, at, kind, table, identity, id, version]
  return [...head, actor, nameOf(actor), request, digest, salt, hash]
}

/** The part of an actor that filters compare. */
function nameOf(actor: string | null): string | null {
  if (actor === null) return null
  const { account, name, subject }: Actor = JSON.parse(actor)
  return account ?? name ?? subject ?? null
}

function metadataOf(row: Row, subjects: AuditSubjects): AuditMetadata {
  const [position, kind, table, identity, id, version, at, action, actor, request, before] = row
  const isEvent = String(table).startsWith(eventPrefix)
  return {
    position: Number(position),
    at: String(at),
    kind: isEvent ? String(kind) : kindOf({ kind, table, action, before }, subjects),
    table: isEvent ? String(table).slice(eventPrefix.length) : String(table),
    identity: String(identity),
    id: String(id),
    version: Number(version),
    actor: textOf(actor),
    request: textOf(request),
  }
}

const changeKinds: Readonly<Record<string, string>> = {
  inserted: 'created',
  replaced: 'updated',
  removed: 'deleted',
}

/** The name of the transition, or the kind of the change; tokens, roles and disabled accounts have kinds of their own. */
function kindOf(
  {
    kind,
    table,
    action,
    before,
  }: Readonly<Record<'kind' | 'table' | 'action' | 'before', Stored | undefined>>,
  { tokens, accounts, roles, disabled }: AuditSubjects,
): string {
  if (table === tokens && kind === 'inserted') return 'token-created'
  if (table === tokens && kind === 'removed') return 'token-revoked'
  const previous =
    table === accounts && kind === 'replaced' && typeof before === 'string' ? JSON.parse(before) : {}
  // The value before the change.
  if (disabled !== undefined && Object.hasOwn(previous, disabled)) {
    return Number(previous[disabled]) === 1 ? 'enabled' : 'disabled'
  }
  if (roles !== undefined && Object.hasOwn(previous, roles)) return 'roles-changed'
  return textOf(action) ?? changeKinds[String(kind)] ?? String(kind)
}

function textOf(value: Stored | undefined): string | undefined {
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

/** The end of the chain: the row of `chainEndSql`, else the checkpoint. */
export function parseChainEnd(row: Row | undefined, checkpoint: string | undefined): ChainEnd {
  if (row) return { number: Number(row[0]), position: Number(row[1]), hash: String(row[2]) }
  return parseCheckpoint(checkpoint)
}

/** The end of the pruned part of the chain. */
export function parseCheckpoint(text: string | undefined): ChainEnd {
  return text === undefined ? emptyChain : JSON.parse(text)
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
  return last && parseChainEnd(last, undefined)
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
  table: string,
  identity: string,
): readonly Statement[] {
  const values = [table, identity]
  const where = `where "table" = ${placeholder(1)} and "identity" = ${placeholder(2)}`
  return [
    { sql: `update "_changes" set "before" = null, "after" = null ${where}`, values },
    { sql: `delete from "_history" ${where}`, values },
    { sql: `delete from "_tombstones" ${where}`, values },
    { sql: `update "_audit" set "salt" = null ${where}`, values },
  ]
}
