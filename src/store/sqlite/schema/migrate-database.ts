/**
 * Migrates a SQLite file to the tables of a schema, in one transaction. Steps beyond the allowed
 * extent are refused with the whole plan, and the file stays unchanged.
 */

import { statSync } from 'node:fs'
import { formatUnfinishedCopy, progressRecord } from '../../copy/copy-interfaces.ts'
import { requireFormat } from '../../schema/format-version.ts'
import {
  findJoinTableDifference,
  formatJoinTableName,
  refsColumnsOf,
} from '../../schema/join-table-schema.ts'
import type { MetaRecords } from '../../schema/meta-records.ts'
import {
  canApply,
  formatRefusal,
  type KeptObjects,
  type MigrationStep,
  type PlanExtent,
  stepsToTake,
} from '../../schema/migration-plan.ts'
import {
  findKeptObjects,
  type Ownership,
  ownershipRecord,
  parseOwnership,
  updateOwnership,
} from '../../schema/ownership.ts'
import { findSearchDifference } from '../../schema/search-records.ts'
import { formatLimits, limitsRecord } from '../../schema/stored-limits.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError } from '../../store.ts'
import { SqliteConnection } from '../connection/connection.ts'
import type { DatabaseFile } from '../connection/database-file.ts'
import { findDamage } from '../connection/integrity.ts'
import { existingTables, hasRows, type SqliteTable } from './existing-tables.ts'
import { findFit, recordFit } from './fit-record.ts'
import { continueLog } from './instance.ts'
import { createJoinTables, dropStaleJoinTables } from './join-tables.ts'
import { planMigration, type SqliteStep } from './plan-migration.ts'
import { updateSearchIndexes } from './search-tables.ts'
import { loadRecords, saveRecord } from './stored-records.ts'
import { createIndexSql, indexesOf, indexNames, systemTables } from './table-sql.ts'

/** Octets. A larger file gets a less thorough check at the start, so that the start stays short. */
const maxFullyCheckedSize = 2 * 1024 * 1024
const maxQuicklyCheckedSize = 16 * 1024 * 1024

export interface MigratedFile {
  readonly steps: readonly MigrationStep[]
  readonly kept: KeptObjects
  /** The last position of the change log that is left, where the file has gone back in time. */
  readonly setBackTo?: number | undefined
}

/** Migrates the file within the extent. Throws a StoreOpenError where that does not suffice. */
export function migrateFile(databaseFile: DatabaseFile, schema: Schema, extent: PlanExtent): MigratedFile {
  return withSoundFile(databaseFile, (connection) => {
    const fitting = extent === 'start' ? findFit(connection, schema) : undefined
    const migrated =
      fitting === undefined
        ? migrateTables({ connection, schema, extent, file: databaseFile.file })
        : { steps: [], kept: fitting }
    // Reports a read-only file now, not at the first write.
    connection.probe()
    const isServed = extent === 'start' && !databaseFile.temporary
    return { ...migrated, setBackTo: isServed ? continueLog(connection, databaseFile.file) : undefined }
  })
}

/** In one transaction, so that the recorded tables are those that were compared. */
function migrateTables(target: MigrationTarget): MigratedFile {
  const { connection, schema, extent, file } = target
  return connection.transaction(() => {
    const existing = existingTables(connection)
    const steps = planMigration(connection, schema, existing)
    if (!canApply(steps, extent)) {
      throw new StoreOpenError(formatRefusal(`The database file ${file}`, steps))
    }
    const taken = stepsToTake(steps, extent)
    const kept = applySteps(target, existing, taken)
    if (extent === 'start') recordFit(connection, schema, kept)
    return { steps: taken, kept }
  })
}

/** Returns all steps, without taking any. */
export function loadPlan(databaseFile: DatabaseFile, schema: Schema): readonly MigrationStep[] {
  return withSoundFile(databaseFile, (connection) =>
    planMigration(connection, schema, existingTables(connection)),
  )
}

/** Throws a StoreOpenError where the file is damaged, of another program, or an unfinished copy. */
function withSoundFile<Result>(
  { file, temporary }: DatabaseFile,
  work: (connection: SqliteConnection) => Result,
): Result {
  const connection = new SqliteConnection({ file, use: 'migrate', temporary })
  try {
    requireUndamaged(connection, file)
    if (isNewFile(connection)) {
      requireNoTables(connection, file)
      connection.transaction(() => connection.database.exec(systemTables.join(';\n')))
    } else requireUsableRecords(loadRecords(connection), file)
    return work(connection)
  } finally {
    connection.close()
  }
}

function requireUndamaged(connection: SqliteConnection, file: string): void {
  const { size } = statSync(file)
  if (size > maxQuicklyCheckedSize) return
  const damage = findDamage(connection, size > maxFullyCheckedSize ? 'quick' : 'full')
  if (damage === undefined) return
  const remedy = 'Put a backup in its place; it was left as it is.'
  throw new StoreOpenError(`The database file ${file} is damaged (${damage}). ${remedy}`)
}

/** Whether the file is too large for the full check at the start. */
export function needsFileCheck(file: string): boolean {
  return statSync(file).size > maxFullyCheckedSize
}

/** Whether the file has no system tables. */
export function isNewFile(connection: SqliteConnection): boolean {
  return !hasRows(connection, `select 1 from sqlite_schema where name = '_meta'`)
}

function requireNoTables(connection: SqliteConnection, file: string): void {
  if (existingTables(connection).size === 0) return
  const remedy = 'Name another file, or move this one away.'
  throw new StoreOpenError(`The database file ${file} was made by another program. ${remedy}`)
}

/** Throws a StoreOpenError for another format, and for an unfinished copy, which lacks rows of its origin. */
export function requireUsableRecords(records: MetaRecords, file: string): void {
  const name = `The database file ${file}`
  requireFormat(name, records)
  const fault = formatUnfinishedCopy(name, records.get(progressRecord))
  if (fault !== undefined) throw new StoreOpenError(fault)
}

type Existing = ReadonlyMap<string, SqliteTable>

interface MigrationTarget {
  readonly connection: SqliteConnection
  readonly schema: Schema
  readonly extent: PlanExtent
  readonly file: string
}

/** Takes the steps within the caller's transaction. Returns the objects that it did not touch. */
function applySteps(target: MigrationTarget, existing: Existing, steps: readonly SqliteStep[]): KeptObjects {
  const { connection, schema, extent, file } = target
  const definition = { schema, names: indexNames }
  const records = loadRecords(connection)
  const before = parseOwnership(records)
  if (steps.length === 0 && isUpToDate(target, { existing, records, owned: before })) {
    return findKeptObjects(existing, before, definition)
  }
  dropStaleJoinTables(connection, schema, extent)
  for (const step of steps) takeStep(target, step, before)
  for (const sql of missingIndexSql(existingTables(connection), schema)) {
    connection.database.exec(sql)
  }
  updateSearchIndexes(connection, schema, extent)
  createJoinTables(connection, schema, extent)
  insertCollections(connection, schema)
  const present = existingTables(connection)
  const owned = updateOwnership(before, present, definition)
  saveRecord(connection, limitsRecord, formatLimits(schema, records))
  saveRecord(connection, ownershipRecord, JSON.stringify(owned))
  requireReferences(connection, schema, file)
  return findKeptObjects(present, owned, definition)
}

interface PresentState {
  readonly existing: Existing
  readonly records: MetaRecords
  readonly owned: Ownership
}

/** Whether a migration without steps has nothing to write. */
function isUpToDate(
  { connection, schema, extent }: MigrationTarget,
  { existing, records, owned }: PresentState,
): boolean {
  const search = findSearchDifference(records, { schema, extent })
  const joins = findJoinTableDifference(records, { schema, extent })
  const after = updateOwnership(owned, existing, { schema, names: indexNames })
  return (
    Object.keys(schema.tables).every((name) => hasCollection(connection, name)) &&
    missingIndexSql(existing, schema).length === 0 &&
    search.stale.length + search.lacking.length === 0 &&
    joins.stale.length + joins.lacking.length === 0 &&
    records.get(limitsRecord) === formatLimits(schema, records) &&
    records.get(ownershipRecord) === JSON.stringify(after)
  )
}

function takeStep(
  { connection, file }: MigrationTarget,
  { rebuilds, sql }: SqliteStep,
  owned: Ownership,
): void {
  const { database } = connection
  const dropped = rebuilds === undefined ? [] : foreignObjects(connection, rebuilds, owned)
  for (const statement of sql) database.exec(statement)
  for (const object of dropped) {
    try {
      database.exec(object.sql)
    } catch (cause) {
      const reason = `has '${object.name}', which another program has made and which does not fit the changed table`
      throw new StoreOpenError(`The database file ${file} ${reason}. Nothing was changed.`, {
        cause,
      })
    }
  }
}

/** Indexes and triggers of other programs, which SQLite drops with their table. */
function foreignObjects(connection: SqliteConnection, table: string, owned: Ownership) {
  const own = new Set(Object.values(owned).flatMap(({ indexes }) => indexes))
  const sql = `select "name", "sql" from sqlite_schema where "tbl_name" = ? and "type" in ('index', 'trigger') and "sql" is not null`
  const rows = connection.rows({ sql, values: [table] })
  return rows
    .map(([name, text]) => ({ name: String(name), sql: String(text) }))
    .filter(({ name }) => !own.has(name))
}

function hasCollection(connection: SqliteConnection, name: string): boolean {
  const sql = 'select 1 from "_collections" where "name" = ?'
  return connection.row({ sql, values: [name] }) !== undefined
}

function insertCollections(connection: SqliteConnection, schema: Schema): void {
  const insert = connection.prepare(
    'insert into "_collections" ("name", "revision") values (?, 0) on conflict do nothing',
  )
  for (const name of Object.keys(schema.tables)) insert.run(name)
}

function missingIndexSql(existing: Existing, schema: Schema): string[] {
  return Object.values(schema.tables).flatMap((table) => {
    const present = new Set(existing.get(table.name)?.indexes.map(({ name }) => name))
    const missing = indexesOf(table).filter(({ name }) => !present.has(name))
    return missing.map((index) => createIndexSql(table.name, index))
  })
}

/** Throws a StoreOpenError where a row refers to a missing row. */
export function requireReferences(connection: SqliteConnection, { tables }: Schema, file: string): void {
  const joins = Object.values(tables).flatMap((table) =>
    refsColumnsOf(table).map(({ name }) => formatJoinTableName(table.name, name)),
  )
  for (const name of [...Object.keys(tables), ...joins]) {
    const [dangling] = connection.query(`pragma foreign_key_check(${quoted(name)})`)
    if (dangling === undefined) continue
    const reason = `has rows in ${dangling[0]} that refer to rows of ${dangling[2]} which are not there`
    throw new StoreOpenError(`The database file ${file} ${reason}. Nothing was changed.`)
  }
}
