/** The statements that find a row by one column, prepared once on each connection. */

import type { Column, Schema } from '../../schema/table-schema.ts'
import type { Queries } from '../../sql/query-sql.ts'
import { knownColumn, knownTable } from '../../sql/sql-text.ts'
import type { RowLookup } from '../../store.ts'
import type { RowStatement, SqliteConnection } from '../connection/connection.ts'
import type { ReadConnections } from './read-connection.ts'

export interface PreparedLookup {
  readonly column: Column
  readonly statements: ReadonlyMap<SqliteConnection, RowStatement>
}

export class PreparedLookups {
  readonly #schema: Schema
  readonly #queries: Queries
  readonly #connections: ReadConnections
  /** By table, then column. */
  readonly #lookups = new Map<string, Map<string, PreparedLookup>>()

  constructor(schema: Schema, queries: Queries, connections: ReadConnections) {
    this.#schema = schema
    this.#queries = queries
    this.#connections = connections
  }

  /** The lookup by the table and column of the query. */
  of(query: RowLookup): PreparedLookup {
    const known = this.#lookups.get(query.table)?.get(query.column)
    if (known !== undefined) return known
    const { sql } = this.#queries.find(query)
    const column = knownColumn(knownTable(this.#schema, query.table), query.column)
    const connections: readonly SqliteConnection[] = Object.values(this.#connections)
    const statements = new Map(connections.map((each) => [each, each.cachedStatement(sql)]))
    const lookup = { column, statements }
    const byColumn = this.#lookups.get(query.table) ?? new Map<string, PreparedLookup>()
    this.#lookups.set(query.table, byColumn.set(query.column, lookup))
    return lookup
  }

  /** Forgets the statements, before their connections are closed. */
  clear(): void {
    this.#lookups.clear()
  }
}
