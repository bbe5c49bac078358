/** The store on PostgreSQL: any number of nodes, each with a pool of connections. */

import { setImmediate as endOfTurn } from 'node:timers/promises'
import { createFairQueue, type FairQueue } from '../../limits/fair-queue.ts'
import { presentRequester } from '../../limits/requester.ts'
import type { Observer } from '../../observation.ts'
import type { AuditStore } from '../audit-store.ts'
import type {
  Attribution,
  ChangeLogEntry,
  KeptHistory,
  KeptVersionsQuery,
  LogExtent,
  PrunedTimes,
  RowHistoryQuery,
} from '../change-log.ts'
import type { Condition } from '../condition.ts'
import type { GroupQuery } from '../group-query.ts'
import type { Row } from '../row.ts'
import { parseRecords } from '../schema/meta-records.ts'
import { derivedTablesSql, parseDerivedTables, requireMatchingTables } from '../schema/table-mismatch.ts'
import type { Schema } from '../schema/table-schema.ts'
import { Secrets } from '../secrets.ts'
import { refuseWrite, snapshotEnded } from '../snapshot-refusals.ts'
import { parseAggregateRows } from '../sql/aggregate-sql.ts'
import { formatAttribution } from '../sql/change-log-sql.ts'
import { previewRow } from '../sql/preview-row.ts'
import { createQueries, type Queries } from '../sql/query-sql.ts'
import { knownColumn, knownTable, type Statement } from '../sql/sql-text.ts'
import { groupedQuery, unindexedColumns } from '../sql/unindexed-columns.ts'
import { createWriteStatements, parseTombstone } from '../sql/write-sql.ts'
import {
  type RowLookup,
  type RowQuery,
  type Store,
  StoreUnavailable,
  type Tombstone,
  type UnsavedRows,
} from '../store.ts'
import { withCalls } from '../with-calls.ts'
import type { StoredResponse, Write, WriteOutcome, WrittenRow } from '../write.ts'
import type { PostgresConnection } from './connection/connection.ts'
import { PostgresNamedLocks } from './connection/named-locks.ts'
import type { Pool } from './connection/pool.ts'
import type { ServerClock } from './connection/server-clock.ts'
import { lockSession } from './connection/session-lock.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { translateErrors, unreachable } from './postgres-failure.ts'
import { createPostgresAudit } from './read/audit.ts'
import { type BatchableLookup, LookupBatcher } from './read/lookup-batcher.ts'
import {
  pruneEntries,
  pruneKeptEntries,
  readChanges,
  readExtent,
  readKeptVersions,
  readLastPosition,
  readRowHistory,
} from './read/read-change-log.ts'
import { secretRows } from './read/secret-rows.ts'
import { SlowLists } from './read/slow-lists.ts'
import { presentTables } from './schema/existing-tables.ts'
import { comparedType, constrainedColumns } from './schema/table-sql.ts'
import { performWrites, type WriteDependencies, withRowLock } from './write/transaction.ts'

type FilterAndOrder = Pick<RowQuery, 'condition' | 'order'>

/** Chooses a standby to read from (read/replicas.ts). */
export interface ReplicaChoice {
  /** Returns a store that is at most this many seconds behind; undefined if there is none. */
  storeFor(seconds: number, primary: Store): Store | undefined
  close(): Promise<void>
}

/** The standbys, the clock and the keys of a store that writes to a primary. */
export interface PrimaryParts {
  readonly replicas?: ReplicaChoice | undefined
  readonly clock?: ServerClock
  /** The keys that encrypt the secrets; by default none. */
  readonly secretKeys?: readonly Uint8Array[] | undefined
}

/** They leave half of the connections to others. */
const snapshotLimits = { perCaller: 30, perAddress: 60, total: 100, works: 'queries' }

/** Milliseconds between two comparisons of the clock with the server, which may be set or drift. */
const clockInterval = 10_000

export class PostgresStore implements Store {
  readonly pool: Pool
  readonly audit: AuditStore
  readonly secrets: Secrets
  readonly #observe: Observer
  readonly #schema: Schema
  readonly #queries: Queries
  readonly #writer: WriteDependencies
  readonly #replicas: ReplicaChoice | undefined
  readonly #lookups: LookupBatcher
  readonly #namedLocks: PostgresNamedLocks
  readonly #slowLists: SlowLists
  readonly #snapshots: FairQueue
  #checking: Promise<void> | undefined
  /** The statement of this turn. */
  #lastPosition: Promise<number> | undefined
  readonly replica?: NonNullable<Store['replica']>
  readonly now?: NonNullable<Store['now']>
  readonly #setting: NodeJS.Timeout | undefined

  constructor(pool: Pool, schema: Schema, observe: Observer, parts: PrimaryParts = {}) {
    const { replicas, clock, secretKeys = [] } = parts
    this.#replicas = replicas
    if (replicas) this.replica = (seconds) => replicas.storeFor(seconds, this)
    if (clock) {
      this.now = () => clock.now()
      const set = () => this.#use((connection) => clock.set(connection)).catch(() => undefined)
      this.#setting = setInterval(set, clockInterval).unref()
    }
    this.#observe = observe
    const columns = constrainedColumns(schema)
    this.pool = pool
    this.audit = createPostgresAudit(pool, translateErrors)
    this.secrets = new Secrets(secretRows(pool), secretKeys)
    this.#namedLocks = new PostgresNamedLocks(pool)
    this.#slowLists = new SlowLists(pool)
    this.#snapshots = createFairQueue({ ...snapshotLimits, concurrent: Math.ceil(pool.maxSize / 2) })
    this.#lookups = new LookupBatcher(pool, Math.ceil(pool.maxSize / 2))
    this.#schema = schema
    this.#queries = createQueries(schema, postgresDialect)
    this.#writer = {
      pool,
      statements: createWriteStatements(schema, postgresDialect),
      columnsOf: (constraint) => columns.get(constraint),
    }
  }

  async find(query: RowLookup): Promise<Row | undefined> {
    return this.#single(this.#lookup(query))
  }

  async list(query: RowQuery): Promise<readonly Row[]> {
    return this.#listRows(query.table, query, this.#queries.list(query))
  }

  async count(...[table, condition, options]: Parameters<Store['count']>): Promise<number> {
    const statement = this.#queries.count(table, condition, options)
    const [row] = await this.#listRows(table, { condition, order: [] }, statement)
    return Number(row?.[0])
  }

  async aggregate(query: GroupQuery): Promise<readonly Row[]> {
    const statement = this.#queries.aggregate(query)
    return parseAggregateRows(query, await this.#listRows(query.table, groupedQuery(query), statement))
  }

  async satisfies(table: string, values: Row, condition: Condition, unsaved?: UnsavedRows): Promise<boolean> {
    return (await this.#row(this.#queries.satisfies(table, values, condition, unsaved)))?.[0] === 1
  }

  async previewRow(
    table: string,
    values: Row,
    conditions: readonly Condition[],
    unsaved?: UnsavedRows,
  ): Promise<Row> {
    const preview = conditions.length === 0 ? previewRow(this.#schema, table, values) : undefined
    if (preview !== undefined) return preview
    const row = await this.#row(this.#queries.preview(table, values, conditions, unsaved))
    if (row === undefined) throw new Error('The preview returned no row')
    return row
  }

  async findIdentityByFormerId(table: string, id: string): Promise<string | undefined> {
    const { name } = knownTable(this.#schema, table)
    const sql = 'select "identity" from "_moves" where "table" = $1 and "id" = $2'
    return (await this.#single({ sql, values: [name, id] }))?.[0] as string | undefined
  }

  async findStoredResponse(name: string, now: number): Promise<StoredResponse | undefined> {
    const sql = 'select "fingerprint", "answer" from "_replays" where "name" = $1 and "until" > $2'
    const row = await this.#single({ sql, values: [name, now] })
    return row && { fingerprint: String(row[0]), text: String(row[1]) }
  }

  async write(writes: readonly Write[], attribution?: Attribution): Promise<WriteOutcome> {
    if (writes.length === 0) return { kind: 'done' }
    return performWrites(this.#writer, { writes, attribution: formatAttribution(attribution) })
  }

  lockRow<Result>(row: WrittenRow, work: (store: Store) => Promise<Result>): Promise<Result> {
    return translateErrors(() =>
      withRowLock(this.#writer, row, ({ pool, write: perform }) => {
        const write: Store['write'] = (writes, attribution) =>
          perform({ writes, attribution: formatAttribution(attribution) })
        const { secrets } = this
        return work(withCalls(new PostgresStore(pool, this.#schema, this.#observe), { write, secrets }))
      }),
    )
  }

  /** A transaction on one connection, which sees what was committed before its first read. */
  withSnapshot<Result>(milliseconds: number, work: (store: Store) => Promise<Result>): Promise<Result> {
    const readSnapshot = async (connection: PostgresConnection) => {
      const deadline = performance.now() + milliseconds
      let isOpen = true
      const pool = withCalls(this.pool, {
        use: (read) => {
          if (!isOpen || performance.now() >= deadline) return Promise.reject(snapshotEnded())
          return read(connection)
        },
      })
      await connection.run('begin isolation level repeatable read read only')
      try {
        const store = new PostgresStore(pool, this.#schema, this.#observe)
        return await work(withCalls<Store>(store, { write: refuseWrite }))
      } finally {
        isOpen = false
        await connection.run('rollback').catch(() => connection.discard())
      }
    }
    return this.#snapshots.turnFor(presentRequester())(() => this.#use(readSnapshot))
  }

  async databaseSize(): Promise<number> {
    const sql = 'select pg_database_size(current_database())'
    return Number((await this.#row({ sql, values: [] }))?.[0])
  }

  tableStatesOf(): undefined {
    return undefined
  }

  revision(table: string): undefined {
    knownTable(this.#schema, table)
  }

  async tableState(table: string): Promise<string> {
    knownTable(this.#schema, table)
    return String((await this.#row({ sql: 'select pg_current_snapshot()', values: [] }))?.[0])
  }

  /** The number of all changes: no row has had more versions. */
  async firstVersion(table: string): Promise<number> {
    knownTable(this.#schema, table)
    const row = await this.#row({ sql: `select nextval('"_entries"')`, values: [] })
    return Number(row?.[0])
  }

  async findTombstone(table: string, id: string): Promise<Tombstone | undefined> {
    const known = knownTable(this.#schema, table)
    const sql = 'select "identity", "at", "values" from "_tombstones" where "table" = $1 and "id" = $2'
    const row = await this.#single({ sql, values: [known.name, id] })
    return row && parseTombstone(known, row)
  }

  readChanges(after: number, limit: number): Promise<readonly ChangeLogEntry[]> {
    return translateErrors(() => readChanges(this.pool, this.#schema, { after, limit }))
  }

  /** The lists of one turn of the event loop share a statement. */
  lastPosition(): Promise<number> {
    this.#lastPosition ??= endOfTurn().then(() => {
      this.#lastPosition = undefined
      return translateErrors(() => readLastPosition(this.pool))
    })
    return this.#lastPosition
  }

  logExtent(): Promise<LogExtent> {
    return translateErrors(() => readExtent(this.pool))
  }

  pruneLog(times: PrunedTimes, limit: number, kept: readonly KeptHistory[] = []): Promise<number> {
    return translateErrors(() => pruneEntries(this.pool, { times, limit, kept }))
  }

  rowHistory(query: RowHistoryQuery): Promise<readonly ChangeLogEntry[]> {
    return translateErrors(() => readRowHistory(this.pool, this.#schema, query))
  }

  keptVersions(query: KeptVersionsQuery): Promise<readonly ChangeLogEntry[]> {
    return translateErrors(() => readKeptVersions(this.pool, this.#schema, query))
  }

  pruneHistory(kept: readonly KeptHistory[], limit: number): Promise<number> {
    return translateErrors(() => pruneKeptEntries(this.pool, kept, limit))
  }

  loadSecret(name: string): Promise<Uint8Array> {
    return translateErrors(() => this.secrets.load(name))
  }

  /** A session lock, so that the work can use other connections; released if the node crashes. */
  withExclusiveLock<Result>(work: () => Promise<Result>): Promise<Result> {
    return translateErrors(() =>
      this.pool.useExtra(async (connection) => {
        await lockSession(connection, 'alone')
        return work()
      }),
    )
  }

  withNamedLock<Result>(name: string, milliseconds: number, work: () => Promise<Result>) {
    return translateErrors(() => this.#namedLocks.run(name, milliseconds, work))
  }

  /** Concurrent checks share one result. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #check(): Promise<void> {
    const sql = `select pg_is_in_recovery(), current_setting('transaction_read_only')`
    const row = await this.#row({ sql, values: [] })
    if (row?.[0] === 1 || row?.[1] === 'on') throw unreachable('The database accepts no writes.')
    const [tables, records] = await this.#use(async (connection) => [
      await presentTables(connection),
      parseRecords(await connection.run(derivedTablesSql)),
    ])
    requireMatchingTables(this.#schema, { tables, ...parseDerivedTables(records), typeOf: comparedType })
  }

  async close(): Promise<void> {
    clearInterval(this.#setting)
    await this.#replicas?.close()
    await this.pool.close()
  }

  /** A batched lookup by key. */
  #single(lookup: BatchableLookup): Promise<Row | undefined> {
    return translateErrors(() => this.#lookups.row(lookup))
  }

  #lookup(query: RowLookup): BatchableLookup {
    const statement = this.#queries.find(query)
    const table = knownTable(this.#schema, query.table)
    const column = knownColumn(table, query.column)
    const combinable = statement.values.length === 1 && column.type === 'text'
    return combinable ? { ...statement, columnIndex: table.columns.indexOf(column) } : statement
  }

  /** Observes a list that times out, with the columns that lack an index. */
  async #listRows(table: string, query: FilterAndOrder, statement: Statement): Promise<readonly Row[]> {
    const began = performance.now()
    try {
      return await translateErrors(() => this.#slowLists.rows(statement))
    } catch (error) {
      if (error instanceof StoreUnavailable && error.reason === 'slow') {
        const columns = unindexedColumns(this.#schema, table, query)
        const milliseconds = performance.now() - began
        this.#observe({ kind: 'slow-list', table, columns, milliseconds })
      }
      throw error
    }
  }

  async #row(statement: Statement): Promise<Row | undefined> {
    return (await this.#rows(statement))[0]
  }

  #rows(statement: Statement): Promise<readonly Row[]> {
    return this.#use((connection) => connection.rows(statement))
  }

  #use<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    return translateErrors(() => this.pool.use(work))
  }
}
