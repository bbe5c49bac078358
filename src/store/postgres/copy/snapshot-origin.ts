/** One state of a PostgreSQL database for a backup: it reads in a repeatable-read transaction, and nodes can still write. */

import type { CopiedRow, CopiedTable } from '../../copy/copied-table.ts'
import type { CopyCounters, RowKey } from '../../copy/copy-interfaces.ts'
import { requireFitting, type Snapshot } from '../../copy/snapshot.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { PostgresDatabaseUrl } from '../connection/database-url.ts'
import { assignPositions } from '../read/read-change-log.ts'
import { planMigration } from '../schema/plan-migration.ts'
import { loadCounters, loadPosition, requireServiceTables } from './copy-origin.ts'
import { openCopySide, PostgresCopySide } from './copy-side.ts'

/** Throws a StoreOpenError where there are no tables of a service, or they do not fit the schema. */
export function openPostgresSnapshot(url: string, schema: Schema): Promise<Snapshot> {
  const create = (connection: PostgresConnection, location: PostgresDatabaseUrl) =>
    new PostgresSnapshot(connection, location, schema)
  return openCopySide(url, create, (snapshot) => snapshot.begin())
}

class PostgresSnapshot extends PostgresCopySide implements Snapshot {
  omitted: readonly string[] = []
  readonly #schema: Schema
  /** The last position in the snapshot. */
  #position = 0
  /** Entries of the change log that have no position yet, with the positions that follow. */
  #unplaced: readonly CopiedRow[] = []

  constructor(connection: PostgresConnection, location: PostgresDatabaseUrl, schema: Schema) {
    super(connection, location)
    this.#schema = schema
  }

  async begin(): Promise<void> {
    const { connection, location } = this
    await requireServiceTables(connection, location)
    await assignPositions(connection)
    const before = await loadPosition(this)
    await connection.run('begin isolation level repeatable read')
    const steps = await planMigration(connection, this.#schema)
    this.omitted = requireFitting(location.displayUrl, steps)
    const placed = await this.number('select coalesce(max("position"), 0) from "_changes"')
    this.#position = Math.max(before, placed)
  }

  /**
   * Entries whose order was not final yet follow the others. Their transactions are committed, and the restored
   * database has no other entry that could come before them.
   */
  override async rows(
    table: CopiedTable,
    after: RowKey | undefined,
    limit: number,
  ): Promise<readonly CopiedRow[]> {
    const rows = await super.rows(table, after, limit)
    if (table.name !== '_changes') return rows
    const placed = rows.filter(([position]) => position !== null)
    if (after === undefined) this.#unplaced = await this.#loadUnplaced(table)
    const later = this.#unplaced.filter(([position]) => Number(position) > Number(after?.[0] ?? 0))
    return [...placed, ...later].slice(0, limit)
  }

  async counters(): Promise<CopyCounters> {
    const unplaced = await this.number('select count(*) from "_changes" where "position" is null')
    return loadCounters(this, this.#schema, this.#position + unplaced)
  }

  async #loadUnplaced({ columns }: CopiedTable): Promise<readonly CopiedRow[]> {
    const [, ...names] = columns.map(({ name }) => quoted(name))
    const place = `${this.#position} + row_number() over (order by "transaction", "entry")`
    const sql = `select ${place}, ${names.join(', ')} from "_changes" where "position" is null order by 1`
    return this.translateErrors(() => this.connection.rows({ sql, values: [] }))
  }
}
