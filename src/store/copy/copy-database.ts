/**
 * Copies a database into another of either kind, with identities, versions, times, secrets, change
 * log, tombstones, former ids and stored responses, so that clients notice nothing. Each batch is
 * written with the progress, so that an interrupted copy continues.
 */

import { createHash } from 'node:crypto'
import { isPostgresUrl } from '../postgres/connection/database-url.ts'
import { openPostgresDestination } from '../postgres/copy/copy-destination.ts'
import { openPostgresOrigin } from '../postgres/copy/copy-origin.ts'
import type { Schema } from '../schema/table-schema.ts'
import { openSqliteDestination } from '../sqlite/copy/copy-destination.ts'
import { openSqliteOrigin } from '../sqlite/copy/copy-origin.ts'
import { StoreOpenError } from '../store.ts'
import { type CopiedRow, type CopiedTable, keyOfRow, listCopiedTables } from './copied-table.ts'
import type {
  CopyCounters,
  CopyDestination,
  CopyOrigin,
  CopyProgress,
  CopySide,
  TableProgress,
} from './copy-interfaces.ts'
import { readBatches } from './row-batch.ts'

export interface CopyOptions {
  readonly from: string
  readonly to: string
  readonly schema: Schema
  /** Runs before any row is copied, with the origin open. */
  prepare?(origin: CopyOrigin): Promise<void> | undefined
  /** Called for each step when it is durable. */
  report(progress: CopyEvent): void
}

export type CopyEvent =
  | {
      readonly kind: 'copied'
      readonly table: string
      readonly rows: number
      readonly total: number
    }
  | ({ readonly kind: 'compared'; readonly table: string } & TableChecksum)

export interface CopyResult {
  readonly rows: number
  /** When an earlier run finished the copy; undefined where this run did. */
  readonly finishedBefore: string | undefined
}

/** Copies and compares all tables. Throws StoreOpenError where a database cannot be used or differs. */
export async function copyDatabase(options: CopyOptions): Promise<CopyResult> {
  const { from, to, schema, report } = options
  await using origin = await openOrigin(from, schema)
  await options.prepare?.(origin)
  // Awaited here, so that the origin stays open.
  return await copyFrom(origin, { to, schema, report })
}

/** Like `copyDatabase`, from an origin that is open. */
export async function copyFrom(
  origin: CopyOrigin,
  { to, schema, report }: Omit<CopyOptions, 'from' | 'prepare'>,
): Promise<CopyResult> {
  await using destination = await openDestination(to, schema)
  const tables = listCopiedTables(schema)
  const counters = await origin.counters()
  const totals = await countTables(origin, tables)
  const state = await digestOrigin(origin, { schema, counters, totals: [...totals] })
  let progress = await requireSameCopy(destination, state)
  const rows = [...totals.values()].reduce((sum, count) => sum + count, 0)
  if (progress.finished !== undefined) return { rows, finishedBefore: progress.finished }
  for (const table of tables) {
    const total = totals.get(table.name) ?? 0
    progress = await copyTable({ origin, destination, table, progress, total, report })
  }
  for (const table of tables) {
    const sum = await compareTable(origin, destination, table)
    report({ kind: 'compared', table: table.name, ...sum })
  }
  await destination.finish(counters, { ...progress, finished: new Date().toISOString() })
  return { rows, finishedBefore: undefined }
}

function openOrigin(url: string, schema: Schema): Promise<CopyOrigin> {
  return isPostgresUrl(url) ? openPostgresOrigin(url, schema) : openSqliteOrigin(url, schema)
}

function openDestination(url: string, schema: Schema): Promise<CopyDestination> {
  return isPostgresUrl(url) ? openPostgresDestination(url, schema) : openSqliteDestination(url, schema)
}

async function countTables(
  origin: CopyOrigin,
  tables: readonly CopiedTable[],
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>()
  for (const table of tables) totals.set(table.name, await origin.count(table))
  return totals
}

interface OriginState {
  readonly schema: Schema
  readonly counters: CopyCounters
  readonly totals: readonly (readonly [table: string, rows: number])[]
}

/** A digest that differs where a later run finds another origin. */
async function digestOrigin(origin: CopyOrigin, state: OriginState): Promise<string> {
  const hash = createHash('sha256')
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)
  hash.update(JSON.stringify(state, plain))
  const secrets = listCopiedTables({ tables: {} }).find(({ name }) => name === '_secrets')
  if (secrets === undefined) throw new Error('The table of secrets is not copied')
  for await (const { rows } of readBatches(origin, secrets, undefined)) {
    for (const row of rows) hash.update(formatRow(row))
  }
  return hash.digest('hex')
}

/** The progress so far. Throws StoreOpenError where the destination holds another copy. */
async function requireSameCopy(destination: CopyDestination, state: string): Promise<CopyProgress> {
  const progress = await destination.loadProgress()
  if (progress === undefined) return { state, tables: {}, finished: undefined }
  if (progress.state === state) return progress
  const reason =
    progress.finished === undefined
      ? 'holds the beginning of another copy, or of this one before the origin changed'
      : 'already holds data'
  throw new StoreOpenError(`The destination ${destination.displayName} ${reason}. Name an empty database.`)
}

interface TableCopy {
  readonly origin: CopyOrigin
  readonly destination: CopyDestination
  readonly table: CopiedTable
  readonly progress: CopyProgress
  readonly total: number
  report(progress: CopyEvent): void
}

const unbegun: TableProgress = { rows: 0, after: undefined, done: false }

/** Copies the table; returns the progress after its last row. */
async function copyTable({ table, total, report, ...rest }: TableCopy): Promise<CopyProgress> {
  const { origin, destination } = rest
  let progress = rest.progress
  const before = progress.tables[table.name] ?? unbegun
  if (before.done) return progress
  let { rows } = before
  for await (const batch of readBatches(origin, table, before.after)) {
    rows += batch.rows.length
    const final = batch.rows.at(-1)
    const after = final === undefined ? batch.after : keyOfRow(table, final)
    const tables = { ...progress.tables, [table.name]: { rows, after, done: batch.last } }
    progress = { ...progress, tables }
    await destination.saveBatch(table, batch.rows, progress)
    report({ kind: 'copied', table: table.name, rows, total })
  }
  return progress
}

/** The checksum of a table, by which its copy is compared. */
interface TableChecksum {
  readonly rows: number
  /** SHA-256 of the rows in key order, in hexadecimal. */
  readonly checksum: string
}

/** The checksum of both. Throws StoreOpenError with the first row that differs. */
async function compareTable(
  origin: CopySide,
  destination: CopySide,
  table: CopiedTable,
): Promise<TableChecksum> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const batch of readBatches(origin, table, undefined)) {
    const theirs = await destination.rows(table, batch.after, batch.limit)
    for (const text of requireEqualRows(table, batch.rows, theirs)) hash.update(`${text}\n`)
    rows += batch.rows.length
  }
  return { rows, checksum: hash.digest('hex') }
}

function requireEqualRows(
  table: CopiedTable,
  ours: readonly CopiedRow[],
  theirs: readonly CopiedRow[],
): readonly string[] {
  const texts = ours.map(formatRow)
  const at = texts.findIndex((text, n) => theirs[n] === undefined || text !== formatRow(theirs[n]))
  const differing = at === -1 ? theirs[texts.length] : ours[at]
  if (differing === undefined) return texts
  const name = JSON.stringify(keyOfRow(table, differing))
  throw new StoreOpenError(
    `The copy is wrong: ${table.name} differs at ${name}. Empty the destination and start again.`,
  )
}

/** The row as text, equal for equal values of both databases. */
function formatRow(row: CopiedRow): string {
  const plain = row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value))
  return JSON.stringify(plain)
}
