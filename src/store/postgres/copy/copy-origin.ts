/**
 * The origin of a copy on PostgreSQL. Its tables are locked against writers until it is closed, so
 * all batches read one state.
 */

import { highestVersionSql, listCopiedTables } from '../../copy/copied-table.ts'
import type { CopyCounters, CopyOrigin } from '../../copy/copy-interfaces.ts'
import { hasOnlyEmptyDrops } from '../../schema/migration-plan.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { checkpointRecord } from '../../sql/audit-sql.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError } from '../../store.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { PostgresDatabaseUrl } from '../connection/database-url.ts'
import { isConflict } from '../postgres-failure.ts'
import { hasSystemTables } from '../schema/existing-tables.ts'
import { requireFinishedCopy, requireKnownFormat } from '../schema/migrate-database.ts'
import { planMigration } from '../schema/plan-migration.ts'
import { loadRecords } from '../schema/stored-records.ts'
import { openCopySide, PostgresCopySide } from './copy-side.ts'

/** Opens the origin. Throws a StoreOpenError if it has no system tables, does not fit the schema, or is written to. */
export function openPostgresOrigin(url: string, schema: Schema): Promise<CopyOrigin> {
  const create = (connection: PostgresConnection, location: PostgresDatabaseUrl) =>
    new PostgresOrigin(connection, location, schema)
  return openCopySide(url, create, async ({ connection, location }) => {
    await requireCopyable(connection, location, schema)
    await lockTables(connection, location, schema)
  })
}

async function requireCopyable(
  connection: PostgresConnection,
  location: PostgresDatabaseUrl,
  schema: Schema,
): Promise<void> {
  const { displayUrl } = location
  await requireServiceTables(connection, location)
  if (hasOnlyEmptyDrops(await planMigration(connection, schema))) return
  throw new StoreOpenError(
    `The database ${displayUrl} does not fit the definition. Name the definition it was last served with, or \`restwell migrate\` it first.`,
  )
}

/** Throws a StoreOpenError where there are no tables of a service that this version can read. */
export async function requireServiceTables(
  connection: PostgresConnection,
  location: PostgresDatabaseUrl,
): Promise<void> {
  if (!(await hasSystemTables(connection))) {
    throw new StoreOpenError(
      `The database ${location.displayUrl} has no service's tables. Name the one of the service.`,
    )
  }
  await requireKnownFormat(connection, location)
  await requireFinishedCopy(connection, location)
}

const unplaced = 'select 1 from "_changes" where "position" is null limit 1'

/** With writers locked out, the order of all entries is final (see change-log.ts). */
const placeAll = `with "unplaced" as materialized (
  select "entry" from "_changes" where "position" is null order by "transaction", "entry"
), "placed" as materialized (select "entry", nextval('"_positions"') as "place" from "unplaced")
update "_changes" c set "position" = "placed"."place" from "placed" where c."entry" = "placed"."entry"`

/** Locks the tables, after assigning the missing positions of change log entries. */
async function lockTables(
  connection: PostgresConnection,
  { displayUrl }: PostgresDatabaseUrl,
  schema: Schema,
): Promise<void> {
  const names = listCopiedTables(schema).map(({ name }) => quoted(name))
  for (;;) {
    await connection.run('begin')
    await lock(connection, names).catch((error) => {
      throw isConflict(error) ? writtenTo(displayUrl, error) : error
    })
    if ((await connection.run(unplaced)).length === 0) return
    await connection.run(placeAll)
    await connection.commit()
  }
}

/** Waits for running transactions up to the lock timeout. */
async function lock(connection: PostgresConnection, names: readonly string[]): Promise<void> {
  await connection.run(`lock table ${names.join(', ')} in share mode`)
}

function writtenTo(displayUrl: string, cause: unknown): StoreOpenError {
  const message = `The database ${displayUrl} is being written to. Stop every node that serves it first.`
  return new StoreOpenError(message, { cause })
}

class PostgresOrigin extends PostgresCopySide implements CopyOrigin {
  readonly #schema: Schema

  constructor(connection: PostgresConnection, location: PostgresDatabaseUrl, schema: Schema) {
    super(connection, location)
    this.#schema = schema
  }

  async counters(): Promise<CopyCounters> {
    return loadCounters(this, this.#schema, await loadPosition(this))
  }
}

/** The counters; `position` is the last position of the change log. */
export async function loadCounters(
  side: PostgresCopySide,
  schema: Schema,
  position: number,
): Promise<CopyCounters> {
  const version = await side.number(highestVersionSql(schema))
  const entries = await side.number(lastValueSql('_entries'))
  const auditCheckpoint = (await loadRecords(side.connection)).get(checkpointRecord)
  return { position, entries: Math.max(version, entries, position), revisions: undefined, auditCheckpoint }
}

/** The last position that was assigned. */
export function loadPosition(side: PostgresCopySide): Promise<number> {
  return side.number(lastValueSql('_positions'))
}

function lastValueSql(sequence: string): string {
  return `select case when is_called then last_value else 0 end from ${quoted(sequence)}`
}
