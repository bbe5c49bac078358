/** The SQL of the change log, for both databases. */

import type { Stored } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { RecordWrite } from '../audit-chain.ts'
import type { Actor, Attribution, ChangeKind, ChangeLogEntry, LogExtent, PrunedTimes } from '../change-log.ts'
import type { Row } from '../row.ts'
import { countLost, lostRecord, parseLost } from '../schema/lost-positions.ts'
import type { Schema, Table } from '../schema/table-schema.ts'
import { formatPreviousValues, formatValues, parseLoggedRows } from './logged-values.ts'
import type { Dialect, Statement } from './sql-text.ts'

/** The columns of an entry that may be null. */
export const optionalLogColumns: readonly string[] = ['action', 'actor', 'request', 'before', 'after']

const names = ['kind', 'table', 'identity', 'id', 'version', 'at', ...optionalLogColumns]

/** The columns of an entry without its position. */
export const logColumns = names.map((name) => `"${name}"`).join(', ')
export const logColumnCount = names.length

/** How the table stores the kind of a change: by the write that made it. */
export type LoggedKind = 'inserted' | 'replaced' | 'removed' | RecordWrite['event']

const kinds: Readonly<Record<LoggedKind, ChangeKind>> = {
  inserted: 'created',
  replaced: 'updated',
  removed: 'deleted',
  'signed-in': 'event',
  'sign-in-failed': 'event',
  erased: 'event',
  'access-explained': 'event',
}

/** The attribution in the form of columns. */
export interface LoggedAttribution {
  readonly actor: string | null
  readonly request: string | null
}

/** The columns of a change whose actor is not known. */
export const unattributed: LoggedAttribution = Object.freeze({ actor: null, request: null })

/** The attribution as columns. */
export function formatAttribution(attribution: Attribution | undefined): LoggedAttribution {
  if (attribution === undefined) return unattributed
  return { actor: formatActor(attribution.actor), request: attribution.request ?? null }
}

const formatActor = memoizeByObject((actor: Actor): string => JSON.stringify(actor))

/** The values before and after a change, as texts. */
export interface LoggedChange {
  readonly before: string | null
  readonly after: string | null
}

/** The values of a new row, or of a row with the previous values. */
export function formatChange(
  table: Table,
  previous: readonly Stored[] | undefined,
  values: readonly Stored[],
): LoggedChange {
  const before = previous === undefined ? null : formatPreviousValues(table, previous, values)
  return { before, after: formatValues(table, values) }
}

/** Octets of the values in one page of the log; a page has at least two entries if there are more. */
export const maxPageOctets = 4_000_000

const position = '"position"'

/** Selects the entries after a position, for `parseEntry`. */
export function changesStatement(dialect: Dialect, after: number, limit: number): Statement {
  const [first, second, third] = [1, 2, 3].map((number) => dialect.placeholder(number))
  const rest = `from "_changes" where ${position} > ${first} order by ${position} limit ${second}`
  const columns = `${position}, ${logColumns}`
  if (dialect.limitOctets === undefined) {
    return { sql: `select ${columns} ${rest}`, values: [after, limit], octets: maxPageOctets }
  }
  const size = 'coalesce(octet_length("before"), 0) + coalesce(octet_length("after"), 0)'
  const list = `select ${columns}, ${size} ${rest}`
  const sql = dialect.limitOctets(list, logColumnCount + 1, String(third))
  return { sql, values: [after, limit, maxPageOctets] }
}

/** Selects the first and last position and their times, for `parseExtent`. */
export const extentSql = `select f.${position}, f."at", l.${position}, l."at" from
  (select ${position}, "at" from "_changes" where ${position} is not null order by ${position} limit 1) f,
  (select ${position}, "at" from "_changes" where ${position} is not null order by ${position} desc limit 1) l`

/** Selects the record of the lost positions, for `parseExtent`. */
export const lostSql = `select "value" from "_meta" where "name" = '${lostRecord}'`

/** The counter and the record of the change log, beside its entries. */
export interface LogState {
  /** The last position ever assigned. */
  readonly last: number
  /** The row of `lostSql`. */
  readonly lost: Row | undefined
}

export function parseExtent(row: Row | undefined, { last, lost: record }: LogState): LogExtent {
  const lost = parseLost(record?.[0])
  if (row === undefined) {
    return { entries: 0, first: last + 1, last, oldest: undefined, newest: undefined, lost }
  }
  const [from, oldest, to, newest] = row
  const [first, end] = [Number(from), Number(to)]
  const entries = end - first + 1 - countLost(lost, first, end)
  return { entries, first, last: end, oldest: String(oldest), newest: String(newest), lost }
}

/** Selects the last position to delete, among so many of the oldest entries; no row where there is none. */
export function prunableStatement(
  { placeholder }: Dialect,
  { before, after }: PrunedTimes,
  limit: number,
): Statement {
  const [from, to, most] = [1, 2, 3].map((number) => placeholder(number))
  const kept = `case when "at" >= ${from} and "at" <= ${to} then ${position} end`
  const oldest = `select ${position}, "at" from "_changes" where ${position} is not null order by ${position} limit ${most}`
  const range = `min(${position}) as "first", coalesce(min(${kept}) - 1, max(${position})) as "last"`
  const sql = `select "last" from (select ${range} from (${oldest}) o) r where "last" >= "first"`
  return { sql, values: [before, after, limit] }
}

/** Deletes the entries up to a position. */
export function pruneSql({ placeholder }: Dialect): string {
  return `delete from "_changes" where ${position} <= ${placeholder(1)}`
}

/** The entry of a row of `changesStatement`. */
export function parseEntry(schema: Schema, row: Row): ChangeLogEntry {
  const [position, kind, table, identity, id, version, at, action, actor, request, before, after] = row
  const known = Object.hasOwn(schema.tables, String(table)) ? schema.tables[String(table)] : undefined
  const logged = { identity: String(identity), version: Number(version) }
  return {
    position: Number(position),
    // Written by this file only.
    kind: kinds[kind as LoggedKind],
    action: textOf(action),
    table: String(table),
    ...logged,
    id: String(id),
    at: String(at),
    actor: typeof actor === 'string' ? JSON.parse(actor) : undefined,
    request: textOf(request),
    ...parseLoggedRows(known, { ...logged, before: before ?? null, after: after ?? null }),
  }
}

function textOf(value: Stored | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
