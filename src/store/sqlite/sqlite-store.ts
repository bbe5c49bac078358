/** The store on one SQLite file: reads on the calling thread, writes by one writer elsewhere. */

import { randomBytes } from 'node:crypto'
import type { StatementSync } from 'node:sqlite'
import type { Stored } from '../../declare/model.ts'
import type { Notice } from '../../http/happening.ts'
import { changeOfRow } from '../change-row.ts'
import type { Condition } from '../condition.ts'
import { type Queries, queriesOf } from '../query-sql.ts'
import type { Column, Schema } from '../schema.ts'
import { requireFit } from '../schema-fit.ts'
import { shownRow } from '../shown.ts'
import { boundValue, knownColumn, knownTable, type Statement } from '../sql.ts'
import {
  type Awaitable,
  andThen,
  type Change,
  type FindQuestion,
  type KeptAnswer,
  type ListQuestion,
  type Row,
  type Store,
  StoreTrouble,
  type Tombstone,
  type Write,
  type Written,
} from '../store.ts'
import { unindexedColumns } from '../unindexed.ts'
import { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { existingTables } from './existing.ts'
import { findTrouble } from './failure.ts'
import { ListReader } from './list-reader.ts'
import type { Place } from './location.ts'
import { isCalm } from './moment.ts'
import { ReaderThread } from './reader-thread.ts'
import { type Connections, Reading } from './reading.ts'
import { searchedColumns } from './search-tables.ts'
import { declaredType } from './tables.ts'
import { reportDamage, type Writer, type WriterThread } from './writer-thread.ts'

export interface SqliteParts<W extends Writer> {
  readonly place: Pick<Place, 'file' | 'temporary'>
  readonly schema: Schema
  readonly writer: W
  readonly notice: Notice
  /** What a list may take, in milliseconds. */
  readonly limit: number
  /** Lets go of what was taken to open the file. */
  release(): void | Promise<void>
}

/** The plainest and most frequent question, prepared. */
interface PlainFind {
  readonly column: Column
  readonly statements: ReadonlyMap<Connection, StatementSync>
}

export class SqliteStore<W extends Writer = WriterThread> implements Store {
  readonly writer: W
  readonly place: SqliteParts<W>['place']
  readonly #connections: Connections
  readonly #reading: Reading
  readonly #slowReader: ReaderThread
  readonly #lists: ListReader
  readonly #scans: ListReader
  readonly #schema: Schema
  readonly #queries: Queries
  readonly #release: () => void | Promise<void>
  /** By table, then column. */
  readonly #plainFinds = new Map<string, Map<string, PlainFind>>()
  readonly #revisions = new Map<string, number>()
  /** The moment they are of. */
  #revisionsAt: number | undefined
  /** The schema version of the file when its tables were last found to fit. */
  #fittingVersion: Stored | undefined
  #closed: Promise<void> | undefined
  /** Whether the writer was told that the file is damaged. */
  #damaged = false

  constructor({ place, schema, writer, release, notice, limit }: SqliteParts<W>) {
    this.writer = writer
    this.#schema = schema
    this.#queries = queriesOf(schema, sqliteDialect)
    this.#release = release
    const { file, temporary } = place
    this.place = { file, temporary }
    const mapped = new Connection({ file, temporary, use: 'read' })
    const unmapped = new Connection({ file, temporary, use: 'read unmapped' })
    this.#connections = { mapped, unmapped }
    this.#reading = new Reading(this.#connections, writer)
    this.#slowReader = new ReaderThread({ file, temporary })
    const thread = this.#slowReader
    const reading = this.#reading
    const failed = (error: unknown) => this.#failed(error)
    const parts = { thread, notice, limit, failed }
    this.#lists = new ListReader({ ...parts, connection: () => reading.connection() })
    this.#scans = new ListReader({ ...parts, connection: () => reading.connectionApart() })
  }

  find(question: FindQuestion): Row | undefined {
    if (question.asks.length > 0) return this.#row(this.#queries.find(question))
    const { column, statements } = this.#plainFind(question)
    try {
      const value = boundValue(column, question.value)
      return statements.get(this.#reading.connection())!.get(value) as unknown as Row | undefined
    } catch (error) {
      throw this.#failed(error)
    }
  }

  list(question: ListQuestion): Awaitable<readonly Row[]> {
    const columns = () => unindexedColumns(this.#schema, question.table, question)
    const reader = question.scan ? this.#scans : this.#lists
    return reader.rows(this.#queries.list(question), { table: question.table, columns })
  }

  count(table: string, condition: Condition): Awaitable<number> {
    const columns = () => unindexedColumns(this.#schema, table, { condition, order: [] })
    const rows = this.#lists.rows(this.#queries.count(table, condition), { table, columns })
    return andThen(rows, ([row]) => Number(row?.[0]))
  }

  wouldHold(table: string, values: Row, condition: Condition): boolean {
    return this.#row(this.#queries.wouldHold(table, values, condition))?.[0] === 1
  }

  wouldShow(table: string, values: Row, asks: readonly Condition[]): Row {
    const shown = asks.length === 0 ? shownRow(this.#schema, table, values) : undefined
    if (shown !== undefined) return shown
    const row = this.#row(this.#queries.wouldShow(table, values, asks))
    if (row === undefined) throw new Error('A row of given values was not shown')
    return row
  }

  async write(writes: readonly Write[]): Promise<Written> {
    return writes.length === 0 ? { kind: 'done' } : this.writer.perform({ kind: 'write', writes })
  }

  get moment(): number {
    return this.#reading.moment
  }

  /** Remembered for as long as nothing is being written, nor was since it was looked up. */
  revision(table: string): number {
    const { moment } = this.#reading
    if (!isCalm(moment) || this.writer.isWriting) return this.#revision(table)
    if (moment !== this.#revisionsAt) this.#revisions.clear()
    this.#revisionsAt = moment
    const revision = this.#revisions.get(table) ?? this.#revision(table)
    this.#revisions.set(table, revision)
    return revision
  }

  #revision(table: string): number {
    const { name } = knownTable(this.#schema, table)
    const sql = 'select "revision" from "_collections" where "name" = ?'
    return Number(this.#row({ sql, values: [name] })?.[0])
  }

  mark(table: string): string {
    return String(this.revision(table))
  }

  firstVersion(table: string): number {
    return this.revision(table) + 1
  }

  /** One node has the file: there is no other. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return work()
  }

  tombstone(table: string, id: string): Tombstone | undefined {
    const { name, columns } = knownTable(this.#schema, table)
    const sql =
      'select "identity", "at", "values" from "_tombstones" where "table" = ? and "id" = ?'
    const row = this.#row({ sql, values: [name, id] })
    if (row === undefined) return undefined
    const [identity, at, text] = row
    const kept = new Map<string, Stored>(Object.entries(JSON.parse(String(text))))
    const values = columns.map((column) => kept.get(column.name) ?? null)
    return { identity: String(identity), at: String(at), values }
  }

  movedFrom(table: string, id: string): string | undefined {
    const { name } = knownTable(this.#schema, table)
    const sql = 'select "identity" from "_moves" where "table" = ? and "id" = ?'
    return this.#row({ sql, values: [name, id] })?.[0] as string | undefined
  }

  answer(name: string, now: number): KeptAnswer | undefined {
    const sql = 'select "fingerprint", "answer" from "_replays" where "name" = ? and "until" > ?'
    const row = this.#row({ sql, values: [name, now] })
    return row && { fingerprint: String(row[0]), text: String(row[1]) }
  }

  changes(after: number, limit: number): readonly Change[] {
    const sql =
      'select "position", "kind", "table", "identity", "id", "version", "at" from "_changes" where "position" > ? order by "position" limit ?'
    return this.#rows({ sql, values: [after, limit] }).map(changeOfRow)
  }

  async secret(name: string): Promise<Uint8Array> {
    const known = this.#secret(name)
    if (known !== undefined) return known
    await this.writer.perform({ kind: 'secret', name, value: randomBytes(32) })
    const made = this.#secret(name)
    if (made === undefined) throw new Error(`The secret '${name}' was made and is not there`)
    return made
  }

  size(): number {
    const sql = 'select page_count * page_size from pragma_page_count, pragma_page_size'
    return Number(this.#row({ sql, values: [] })?.[0])
  }

  /** Writes for real, for a disk may be readable and full. */
  async check(): Promise<void> {
    if (this.#closed !== undefined) throw new StoreTrouble('away', 'The store is closed.')
    this.#requireFit()
    await this.writer.perform({ kind: 'probe' })
  }

  /** Tables are compared again when SQLite says that they have changed. */
  #requireFit(): void {
    const version = this.#row({ sql: 'pragma schema_version', values: [] })?.[0]
    if (version === this.#fittingVersion) return
    const connection = this.#reading.connection()
    const tables = existingTables(connection)
    const searches = searchedColumns(connection)
    requireFit(this.#schema, { tables, searches, typeOf: declaredType })
    this.#fittingVersion = version
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** The connection of the lock goes last: closing it folds the log into the file. */
  async #close(): Promise<void> {
    this.#plainFinds.clear()
    this.#reading.end()
    this.#connections.mapped.close()
    this.#connections.unmapped.close()
    await this.#slowReader.close()
    await this.writer.close()
    await this.#release()
  }

  #plainFind(question: FindQuestion): PlainFind {
    const known = this.#plainFinds.get(question.table)?.get(question.column)
    if (known !== undefined) return known
    const { sql } = this.#queries.find(question)
    const column = knownColumn(knownTable(this.#schema, question.table), question.column)
    const connections = Object.values(this.#connections)
    const statements = new Map(connections.map((one) => [one, one.prepared(sql)]))
    const made = { column, statements }
    const ofTable = this.#plainFinds.get(question.table) ?? new Map<string, PlainFind>()
    this.#plainFinds.set(question.table, ofTable.set(question.column, made))
    return made
  }

  /** What to throw where reading failed. Writes end where the file was found damaged. */
  #failed(error: unknown): unknown {
    const trouble = findTrouble(error)
    if (trouble?.trouble === 'damaged' && !this.#damaged) {
      this.#damaged = true
      reportDamage(this.writer, (trouble.cause as Error).message)
    }
    return trouble ?? error
  }

  #secret(name: string): Uint8Array | undefined {
    const sql = 'select "value" from "_secrets" where "name" = ?'
    const found = this.#row({ sql, values: [name] })?.[0] as unknown
    return found instanceof Uint8Array ? found : undefined
  }

  #row(statement: Statement): Row | undefined {
    try {
      return this.#reading.connection().row(statement)
    } catch (error) {
      throw this.#failed(error)
    }
  }

  #rows(statement: Statement): readonly Row[] {
    try {
      return this.#reading.connection().rows(statement)
    } catch (error) {
      throw this.#failed(error)
    }
  }
}
