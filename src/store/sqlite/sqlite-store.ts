/** The store on one SQLite file: reads on the calling thread, writes on the writer thread. */

import type { Observer } from '../../observation.ts'
import type { AuditStore } from '../audit-store.ts'
import type { Attribution, ChangeLogEntry, KeptHistory, LogExtent, PrunedTimes } from '../change-log.ts'
import type { Condition } from '../condition.ts'
import type { GroupQuery } from '../group-query.ts'
import type { Row } from '../row.ts'
import type { Schema } from '../schema/table-schema.ts'
import { Secrets } from '../secrets.ts'
import { refuseWrite } from '../snapshot-refusals.ts'
import { parseAggregateRows } from '../sql/aggregate-sql.ts'
import { formatAttribution } from '../sql/change-log-sql.ts'
import { previewRow } from '../sql/preview-row.ts'
import { createQueries, type Queries } from '../sql/query-sql.ts'
import { tablesRead } from '../sql/repeat-reads.ts'
import type { SealedEntries } from '../sql/seal-audit.ts'
import { createAuditStore } from '../sql/sql-audit-store.ts'
import { boundValue, knownTable, type Statement } from '../sql/sql-text.ts'
import { createStatementReads } from '../sql/statement-reads.ts'
import { groupedQuery, unindexedColumns } from '../sql/unindexed-columns.ts'
import {
  type CountOptions,
  type MaybePromise,
  type RevisedChanges,
  type RowLookup,
  type RowQuery,
  type Store,
  StoreUnavailable,
  type Tombstone,
  type UnsavedRows,
} from '../store.ts'
import { withCalls } from '../with-calls.ts'
import type { ReadTableState, RepeatedRead, StoredResponse, Write, WriteOutcome } from '../write.ts'
import { SqliteConnection } from './connection/connection.ts'
import type { DatabaseFile } from './connection/database-file.ts'
import { countExpiredVersions, readKeptVersions } from './read/kept-versions.ts'
import { ListReader } from './read/list-reader.ts'
import { PreparedLookups } from './read/prepared-lookups.ts'
import {
  findPrunable,
  readChanges,
  readExtent,
  readLastPosition,
  readRowHistory,
} from './read/read-change-log.ts'
import { ReadConnectionChooser, type ReadConnections } from './read/read-connection.ts'
import { ReferringCounts } from './read/referring-counts.ts'
import { SlowReads } from './read/slow-reads.ts'
import { Snapshots } from './read/snapshots.ts'
import { StableNumbers } from './read/stable-numbers.ts'
import {
  findFormerIdentity,
  findRevision,
  findStoredResponse,
  findTombstone,
  readSize,
  secretRows,
} from './read/system-rows.ts'
import { createTableComparison } from './schema/matching-tables.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { toStoreUnavailable } from './sqlite-failure.ts'
import { SqliteNamedLocks } from './write/named-locks.ts'
import { freeOctets } from './write/wal-space.ts'
import { reportDamage, type Writer, type WriterThread } from './write/writer-thread.ts'

export interface SqliteStoreOptions<W extends Writer> {
  readonly databaseFile: Pick<DatabaseFile, 'file' | 'temporary'>
  readonly schema: Schema
  readonly writer: W
  readonly observe: Observer
  /** The time limit of a list query in milliseconds. */
  readonly limit: number
  /** The keys that encrypt the secrets; by default none. */
  readonly secretKeys?: readonly Uint8Array[] | undefined
  /** Releases the file and its lock. */
  release(): void | Promise<void>
}

export class SqliteStore<W extends Writer = WriterThread> implements Store {
  readonly writer: W
  readonly databaseFile: SqliteStoreOptions<W>['databaseFile']
  readonly audit: AuditStore
  readonly secrets: Secrets
  readonly #connections: ReadConnections
  readonly #reading: ReadConnectionChooser
  readonly #slowReads: SlowReads
  readonly #snapshots: Snapshots
  readonly #lists: ListReader
  readonly #scans: ListReader
  readonly #schema: Schema
  readonly #queries: Queries
  readonly #namedLocks: SqliteNamedLocks
  readonly #release: () => void | Promise<void>
  readonly #lookups: PreparedLookups
  readonly #counts = new ReferringCounts((statement) => this.#rows(statement))
  /** By table: its revision; of the change log, its last position. */
  readonly #stable: StableNumbers
  readonly #requireMatchingTables: (connection: SqliteConnection) => void
  #closed: Promise<void> | undefined
  /** Whether damage was reported to the writer, which has not found the file to be sound. */
  #isDamageReported = false

  constructor(options: SqliteStoreOptions<W>) {
    const { databaseFile, schema, writer, release, observe, limit, secretKeys = [] } = options
    this.writer = writer
    this.#schema = schema
    this.#queries = createQueries(schema, sqliteDialect)
    this.#namedLocks = new SqliteNamedLocks(writer)
    this.#release = release
    this.#requireMatchingTables = createTableComparison(schema)
    const run = (statements: readonly Statement[]) => writer.perform({ kind: 'run', statements })
    const seal = (entries: SealedEntries) => writer.perform({ kind: 'seal', entries })
    this.audit = createAuditStore({ dialect: sqliteDialect, rows: this.#rows, run, seal })
    const stored = secretRows(this.#row, this.#rows, (name, value, present) =>
      writer.perform({ kind: 'secret', name, value, present }),
    )
    this.secrets = new Secrets(stored, secretKeys)
    const { file, temporary } = databaseFile
    this.databaseFile = { file, temporary }
    const mapped = new SqliteConnection({ file, temporary, use: 'read' })
    const unmapped = new SqliteConnection({ file, temporary, use: 'read unmapped' })
    this.#connections = { mapped, unmapped }
    this.#lookups = new PreparedLookups(schema, this.#queries, this.#connections)
    this.#reading = new ReadConnectionChooser(this.#connections, writer)
    this.#stable = new StableNumbers(this.#reading, writer)
    this.#slowReads = new SlowReads({ file, temporary })
    this.#snapshots = new Snapshots({ file, temporary })
    const reading = this.#reading
    const failed = (error: unknown) => this.#toStoreError(error)
    const parts = { slowReads: this.#slowReads, observe, limit, failed }
    this.#lists = new ListReader({ ...parts, connection: () => reading.connection() })
    this.#scans = new ListReader({ ...parts, connection: () => reading.separateConnection() })
  }

  find(query: RowLookup): Row | undefined {
    if (query.evaluated.length > 0 || query.unsaved) return this.#row(this.#queries.find(query))
    const { column, statements } = this.#lookups.of(query)
    try {
      const value = boundValue(column, query.value)
      return statements.get(this.#reading.connection())!.get(value)
    } catch (error) {
      throw this.#toStoreError(error)
    }
  }

  list(query: RowQuery): MaybePromise<readonly Row[]> {
    const columns = () => unindexedColumns(this.#schema, query.table, query)
    const reader = query.scan ? this.#scans : this.#lists
    return reader.rows(this.#queries.list(query), { table: query.table, columns })
  }

  async count(table: string, condition: Condition, options?: CountOptions): Promise<number> {
    const columns = () => unindexedColumns(this.#schema, table, { condition, order: [] })
    const [row] = await this.#lists.rows(this.#queries.count(table, condition, options), { table, columns })
    return Number(row?.[0])
  }

  async aggregate(query: GroupQuery): Promise<readonly Row[]> {
    const isCounted = query.unsaved ? undefined : this.#counts.find(query, (table) => this.revision(table))
    if (isCounted) return isCounted
    const columns = () => unindexedColumns(this.#schema, query.table, groupedQuery(query))
    const rows = await this.#lists.rows(this.#queries.aggregate(query), { table: query.table, columns })
    return parseAggregateRows(query, rows)
  }

  satisfies(table: string, values: Row, condition: Condition, unsaved?: UnsavedRows): boolean {
    return this.#row(this.#queries.satisfies(table, values, condition, unsaved))?.[0] === 1
  }

  previewRow(table: string, values: Row, conditions: readonly Condition[], unsaved?: UnsavedRows): Row {
    const preview = conditions.length === 0 ? previewRow(this.#schema, table, values) : undefined
    if (preview !== undefined) return preview
    const row = this.#row(this.#queries.preview(table, values, conditions, unsaved))
    if (row === undefined) throw new Error('The preview returned no row')
    return row
  }

  write(writes: readonly Write[], attribution?: Attribution): Promise<WriteOutcome> {
    if (writes.length === 0) return Promise.resolve({ kind: 'done' })
    return this.writer.perform({ kind: 'write', writes, attribution: formatAttribution(attribution) })
  }

  revision(table: string, changes: RevisedChanges = 'all'): number {
    const load = () => findRevision(this.#row, knownTable(this.#schema, table), changes)
    return this.#stable.get(changes === 'all' ? table : `${table} ${changes}`, load)
  }

  tableState(table: string): string {
    return String(this.revision(table))
  }

  tableStatesOf(read: RepeatedRead): readonly ReadTableState[] {
    return [...tablesRead(this.#schema, read)].map((table) => ({ table, state: this.tableState(table) }))
  }

  firstVersion(table: string): number {
    return this.revision(table) + 1
  }

  /** Only one node has the file, so no lock is needed. */
  withExclusiveLock<Result>(work: () => Promise<Result>): Promise<Result> {
    return work()
  }

  withNamedLock<Result>(name: string, milliseconds: number, work: () => Promise<Result>) {
    return this.#namedLocks.run(name, milliseconds, work)
  }

  withSnapshot<Result>(milliseconds: number, work: (store: Store) => Promise<Result>): Promise<Result> {
    return this.#snapshots.run(milliseconds, (rows) =>
      work(
        withCalls<Store>(this, {
          ...createStatementReads(this.#schema, this.#queries, rows),
          tableStatesOf: () => undefined,
          write: refuseWrite,
        }),
      ),
    )
  }

  findTombstone(table: string, id: string): Tombstone | undefined {
    return findTombstone(this.#row, knownTable(this.#schema, table), id)
  }

  findIdentityByFormerId(table: string, id: string): string | undefined {
    return findFormerIdentity(this.#row, knownTable(this.#schema, table), id)
  }

  findStoredResponse(name: string, now: number): StoredResponse | undefined {
    return findStoredResponse(this.#row, name, now)
  }

  readChanges(after: number, limit: number): readonly ChangeLogEntry[] {
    return readChanges(this.#rows, this.#schema, { after, limit })
  }

  lastPosition(): number {
    return this.#stable.get('_changes', () => readLastPosition(this.#rows))
  }

  logExtent(): LogExtent {
    return readExtent(this.#rows)
  }

  /** The position is found here, so that the writer only deletes. */
  async pruneLog(times: PrunedTimes, limit: number, kept: readonly KeptHistory[] = []): Promise<number> {
    const found = findPrunable(this.#rows, times, limit)
    if (found === undefined) return 0
    await this.writer.perform({ kind: 'prune', through: found.through, kept })
    return found.entries
  }

  readonly rowHistory: Store['rowHistory'] = (query) => readRowHistory(this.#rows, this.#schema, query)

  readonly keptVersions: Store['keptVersions'] = (query) => readKeptVersions(this.#rows, this.#schema, query)

  async pruneHistory(kept: readonly KeptHistory[], limit: number): Promise<number> {
    const expired = countExpiredVersions(this.#rows, kept, limit)
    if (expired > 0) await this.writer.perform({ kind: 'prune-history', kept, limit })
    return expired
  }

  loadSecret(name: string): Promise<Uint8Array> {
    return this.secrets.load(name)
  }

  databaseSize(): number {
    return readSize(this.#row)
  }

  freeSpace(): number {
    return freeOctets(this.databaseFile.file)
  }

  /** Also writes, because a full disk can still be read. */
  async check(): Promise<void> {
    if (this.#closed !== undefined) throw storeClosed()
    this.#read(this.#requireMatchingTables)
    await this.writer.perform({ kind: 'probe' })
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** Releases the lock last: closing its connection checkpoints the WAL. */
  async #close(): Promise<void> {
    this.#lookups.clear()
    this.#reading.endSnapshot()
    this.#connections.mapped.close()
    this.#connections.unmapped.close()
    await Promise.all([this.#slowReads.close(), this.#snapshots.close()])
    await this.writer.close()
    await this.#release()
  }

  /** The error to throw where reading failed. Damage of the file also ends writes. */
  #toStoreError(error: unknown): unknown {
    if (this.#closed !== undefined) return storeClosed(error)
    const reason = toStoreUnavailable(error)
    if (reason?.reason === 'damaged') void this.#reportDamage((reason.cause as Error).message)
    return reason ?? error
  }

  async #reportDamage(finding: string): Promise<void> {
    if (this.#isDamageReported) return
    this.#isDamageReported = true
    this.#isDamageReported = await reportDamage(this.writer, { finding, foundBy: 'read' })
  }

  readonly #row = (statement: Statement): Row | undefined =>
    this.#read((connection) => connection.row(statement))

  readonly #rows = (statement: Statement): readonly Row[] =>
    this.#read((connection) => connection.rows(statement))

  #read<Result>(read: (connection: SqliteConnection) => Result): Result {
    try {
      return read(this.#reading.connection())
    } catch (error) {
      throw this.#toStoreError(error)
    }
  }
}

function storeClosed(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable('unreachable', 'The store is closed.', { cause })
}
