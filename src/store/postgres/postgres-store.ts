/** The store on PostgreSQL: any number of nodes, each with a pool of connections. */

import { randomBytes } from 'node:crypto'
import type { Stored } from '../../declare/model.ts'
import type { Notice } from '../../http/happening.ts'
import type { Condition } from '../condition.ts'
import { type Queries, queriesOf } from '../query-sql.ts'
import type { Schema } from '../schema.ts'
import { requireFit } from '../schema-fit.ts'
import { shownRow } from '../shown.ts'
import { knownColumn, knownTable, type Statement } from '../sql.ts'
import {
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
import { writeStatementsOf } from '../write-sql.ts'
import { Bursts, type Lookup } from './bursts.ts'
import { readChanges } from './change-log.ts'
import { Company } from './company.ts'
import type { Connection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { presentTables } from './existing.ts'
import { away, findTrouble } from './failure.ts'
import type { Pool } from './pool.ts'
import type { Replicas } from './replicas.ts'
import { searchedColumns } from './search.ts'
import { lockSession } from './session-lock.ts'
import { findSociable } from './sociable.ts'
import { constrainedColumns, typeWord } from './tables.ts'
import { type WriterParts, write } from './transaction.ts'

type Asked = Pick<ListQuestion, 'condition' | 'order'>

export class PostgresStore implements Store {
  readonly pool: Pool
  readonly #notice: Notice
  readonly #schema: Schema
  readonly #queries: Queries
  readonly #writer: WriterParts
  readonly #replicas: Replicas | undefined
  readonly #bursts: Bursts
  readonly #company: Company
  #checking: Promise<void> | undefined
  readonly lagging?: NonNullable<Store['lagging']>

  constructor(pool: Pool, schema: Schema, notice: Notice, replicas?: Replicas) {
    this.#replicas = replicas
    if (replicas) this.lagging = (seconds) => replicas.storeFor(seconds, this)
    this.#notice = notice
    const columns = constrainedColumns(schema)
    this.pool = pool
    this.#bursts = new Bursts(pool, Math.ceil(pool.most / 2))
    this.#schema = schema
    this.#queries = queriesOf(schema, postgresDialect)
    this.#writer = {
      pool,
      statements: writeStatementsOf(schema, postgresDialect),
      columnsOf: (constraint) => columns.get(constraint),
    }
    this.#company = new Company(this.#writer)
  }

  async find(question: FindQuestion): Promise<Row | undefined> {
    return this.#single(this.#lookup(question))
  }

  async list(question: ListQuestion): Promise<readonly Row[]> {
    return this.#told(question.table, question, this.#queries.list(question))
  }

  async count(table: string, condition: Condition): Promise<number> {
    const statement = this.#queries.count(table, condition)
    const [row] = await this.#told(table, { condition, order: [] }, statement)
    return Number(row?.[0])
  }

  async wouldHold(table: string, values: Row, condition: Condition): Promise<boolean> {
    return (await this.#row(this.#queries.wouldHold(table, values, condition)))?.[0] === 1
  }

  async wouldShow(table: string, values: Row, asks: readonly Condition[]): Promise<Row> {
    const shown = asks.length === 0 ? shownRow(this.#schema, table, values) : undefined
    if (shown !== undefined) return shown
    const row = await this.#row(this.#queries.wouldShow(table, values, asks))
    if (row === undefined) throw new Error('A row of given values was not shown')
    return row
  }

  async movedFrom(table: string, id: string): Promise<string | undefined> {
    const { name } = knownTable(this.#schema, table)
    const sql = 'select "identity" from "_moves" where "table" = $1 and "id" = $2'
    return (await this.#single({ sql, values: [name, id] }))?.[0] as string | undefined
  }

  async answer(name: string, now: number): Promise<KeptAnswer | undefined> {
    const sql = 'select "fingerprint", "answer" from "_replays" where "name" = $1 and "until" > $2'
    const row = await this.#single({ sql, values: [name, now] })
    return row && { fingerprint: String(row[0]), text: String(row[1]) }
  }

  async write(writes: readonly Write[]): Promise<Written> {
    if (writes.length === 0) return { kind: 'done' }
    const sociable = findSociable(this.#schema, writes)
    return sociable ? this.#company.write(sociable) : write(this.#writer, writes)
  }

  async size(): Promise<number> {
    const sql = 'select pg_database_size(current_database())'
    return Number((await this.#row({ sql, values: [] }))?.[0])
  }

  revision(table: string): undefined {
    knownTable(this.#schema, table)
  }

  async mark(table: string): Promise<string> {
    knownTable(this.#schema, table)
    return String((await this.#row({ sql: 'select pg_current_snapshot()', values: [] }))?.[0])
  }

  /** As many changes as there ever were: no row has had more versions. */
  async firstVersion(table: string): Promise<number> {
    knownTable(this.#schema, table)
    const row = await this.#row({ sql: `select nextval('"_entries"')`, values: [] })
    return Number(row?.[0])
  }

  async tombstone(table: string, id: string): Promise<Tombstone | undefined> {
    const { name, columns } = knownTable(this.#schema, table)
    const sql =
      'select "identity", "at", "values" from "_tombstones" where "table" = $1 and "id" = $2'
    const row = await this.#single({ sql, values: [name, id] })
    if (row === undefined) return undefined
    const [identity, at, text] = row
    const kept = new Map<string, Stored>(Object.entries(JSON.parse(String(text))))
    const values = columns.map((column) => kept.get(column.name) ?? null)
    return { identity: String(identity), at: String(at), values }
  }

  changes(after: number, limit: number): Promise<readonly Change[]> {
    return troubled(() => readChanges(this.pool, after, limit))
  }

  async secret(name: string): Promise<Uint8Array> {
    const known = await this.#secret(name)
    if (known !== undefined) return known
    const values = [name, randomBytes(32)]
    const sql = 'insert into "_secrets" ("name", "value") values ($1, $2) on conflict do nothing'
    await this.#use(async (connection) => {
      await connection.rows({ sql, values })
      connection.refuseWarned()
    })
    const made = await this.#secret(name)
    if (made === undefined) throw new Error(`The secret '${name}' was made and is not there`)
    return made
  }

  /** A lock of the session, so that the work may use other connections; it goes with the node. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return troubled(() =>
      this.pool.useApart(async (connection) => {
        await lockSession(connection, 'alone')
        return work()
      }),
    )
  }

  /** Checks that come together share one answer. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #check(): Promise<void> {
    const sql = `select pg_is_in_recovery(), current_setting('transaction_read_only')`
    const row = await this.#row({ sql, values: [] })
    if (row?.[0] === 1 || row?.[1] === 'on') throw away('The database takes no writes.')
    const present = await this.#use(async (connection) => ({
      tables: await presentTables(connection),
      searches: await searchedColumns(connection),
    }))
    requireFit(this.#schema, { ...present, typeOf: typeWord })
  }

  async close(): Promise<void> {
    await this.#replicas?.close()
    await this.#company.close()
    await this.pool.close()
  }

  /** By a key, which takes no time. */
  #single(lookup: Lookup): Promise<Row | undefined> {
    return troubled(() => this.#bursts.row(lookup))
  }

  #lookup(question: FindQuestion): Lookup {
    const statement = this.#queries.find(question)
    const table = knownTable(this.#schema, question.table)
    const column = knownColumn(table, question.column)
    const alone = statement.values.length > 1 || column.type !== 'text'
    return alone ? statement : { ...statement, place: table.columns.indexOf(column) }
  }

  async #secret(name: string): Promise<Uint8Array | undefined> {
    const sql = 'select "value" from "_secrets" where "name" = $1'
    const found = (await this.#row({ sql, values: [name] }))?.[0] as unknown
    return found instanceof Uint8Array ? found : undefined
  }

  /** A list that was given up is told of, with what an index might be made for. */
  async #told(table: string, asked: Asked, statement: Statement): Promise<readonly Row[]> {
    const began = performance.now()
    try {
      return await this.#rows(statement)
    } catch (error) {
      if (error instanceof StoreTrouble && error.trouble === 'slow') {
        const columns = unindexedColumns(this.#schema, table, asked)
        const milliseconds = performance.now() - began
        this.#notice({ kind: 'slow-list', table, columns, milliseconds })
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

  #use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return troubled(() => this.pool.use(work))
  }
}

async function troubled<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw findTrouble(error) ?? error
  }
}
