/**
 * Opening a file that an earlier definition made, or none did: changes that lose nothing are made
 * in one transaction; anything else is refused with the whole plan, and the file stays as it was.
 */

import { statSync } from 'node:fs'
import { formatUnfinishedCopy, progressRecord } from '../../copy/copy-end.ts'
import { findFormatFault } from '../../schema/format-version.ts'
import {
  canApply,
  formatRefusal,
  type KeptObjects,
  type MigrationStep,
  type PlanExtent,
  stepsToTake,
} from '../../schema/migration-plan.ts'
import { findKeptObjects, type Ownership } from '../../schema/ownership.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError } from '../../store.ts'
import { SqliteConnection } from '../connection/connection.ts'
import { findDamage } from '../connection/integrity.ts'
import type { OpenLocation } from '../connection/location.ts'
import { existingTables, hasRows, queryRows, type SqliteTable } from './existing-tables.ts'
import { findFit, recordFit } from './fit-record.ts'
import { planMigration, type SqliteStep } from './plan-migration.ts'
import { needSearchUpdate, updateSearchIndexes } from './search-tables.ts'
import { limitsDiffer, saveLimits } from './stored-limits.ts'
import { loadOwnership, ownershipDiffers, saveOwnership } from './stored-ownership.ts'
import { createIndexSql, FORMAT, indexesOf, indexNames, systemTables } from './table-sql.ts'

/** Up to these sizes a file is read through for damage; beyond, starting would take too long. */
const maxFullyCheckedSize = 2 * 1024 * 1024
const maxQuicklyCheckedSize = 16 * 1024 * 1024

export interface MigratedFile {
  readonly steps: readonly MigrationStep[]
  readonly kept: KeptObjects
}

/** Makes the file fit the schema, as far as that is allowed. Throws a StoreOpenError otherwise. */
export function migrateFile(place: OpenLocation, schema: Schema, extent: PlanExtent): MigratedFile {
  return withSoundFile(place, (connection) => {
    const fitting = extent === 'start' ? findFit(connection, schema) : undefined
    const evolved =
      fitting === undefined
        ? migrateTables({ connection, schema, extent, file: place.file })
        : { steps: [], kept: fitting }
    // A file that can be read, and not written, is told now and not with the first write.
    connection.probe()
    return evolved
  })
}

/** In one transaction, so that the tables are recorded as they were compared. */
function migrateTables(about: Omit<Migration, 'existing'>): MigratedFile {
  const { connection, schema, extent, file } = about
  const { database } = connection
  database.exec('begin immediate')
  try {
    const existing = existingTables(connection)
    const steps = planMigration(connection, schema, existing)
    if (!canApply(steps, extent)) throw refusal(file, steps)
    const taken = stepsToTake(steps, extent)
    const kept = applySteps({ ...about, existing }, taken)
    if (extent === 'start') recordFit(connection, schema, kept)
    database.exec('commit')
    return { steps: taken, kept }
  } finally {
    if (database.isTransaction) database.exec('rollback')
  }
}

/** All steps, without taking any. */
export function loadPlan(place: OpenLocation, schema: Schema): readonly MigrationStep[] {
  return withSoundFile(place, (connection) =>
    planMigration(connection, schema, existingTables(connection)),
  )
}

/** Throws a StoreOpenError where the file is damaged, not ours, or not complete. */
function withSoundFile<Result>(
  { file, temporary }: OpenLocation,
  work: (connection: SqliteConnection) => Result,
): Result {
  const connection = new SqliteConnection({ file, use: 'evolve', temporary })
  try {
    requireUndamaged(connection, file)
    if (!isNew(connection, file)) {
      requireKnownFormat(connection, file)
      requireFinishedCopy(connection, file)
    }
    if (lacksSystemTables(connection)) transacted(connection, systemTables)
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

/** Whether more of the file is to be checked than there is time for before the service starts. */
export function needsFileCheck(file: string): boolean {
  return statSync(file).size > maxFullyCheckedSize
}

function isNew(connection: SqliteConnection, file: string): boolean {
  if (hasRows(connection, `select 1 from sqlite_schema where name = '_meta'`)) return false
  if (existingTables(connection).size === 0) return true
  const remedy = 'Name another file, or move this one away.'
  throw new StoreOpenError(`The database file ${file} was made by another program. ${remedy}`)
}

function lacksSystemTables(connection: SqliteConnection): boolean {
  const names = queryRows(
    connection,
    `select name from sqlite_schema where name like '\\_%' escape '\\'`,
  )
  const present = new Set(names.map(([name]) => String(name)))
  return systemTables.some((sql) => {
    const [, name] = /^create (?:table|index) if not exists "([^"]+)"/.exec(sql) ?? []
    return name !== undefined && !present.has(name)
  })
}

function requireKnownFormat(connection: SqliteConnection, file: string): void {
  const [found] = queryRows(connection, `select "value" from "_meta" where "name" = 'format'`)
  const fault = findFormatFault(`The database file ${file}`, found && String(found[0]), FORMAT)
  if (fault !== undefined) throw new StoreOpenError(fault)
}

/** What a copy has not brought to its end would be served with less than there was. */
function requireFinishedCopy(connection: SqliteConnection, file: string): void {
  const [found] = queryRows(
    connection,
    `select "value" from "_meta" where "name" = '${progressRecord}'`,
  )
  const text = formatUnfinishedCopy(`The database file ${file}`, found && String(found[0]))
  if (text !== undefined) throw new StoreOpenError(text)
}

function refusal(file: string, steps: readonly MigrationStep[]): StoreOpenError {
  return new StoreOpenError(formatRefusal(`The database file ${file}`, steps))
}

type Existing = ReadonlyMap<string, SqliteTable>

interface Migration {
  readonly connection: SqliteConnection
  readonly schema: Schema
  readonly extent: PlanExtent
  /** The tables before the migration. */
  readonly existing: Existing
  readonly file: string
}

/** Within the caller's transaction. Returns what was left alone. */
function applySteps(migration: Migration, steps: readonly SqliteStep[]): KeptObjects {
  const { connection, schema, extent, existing, file } = migration
  const before = loadOwnership(connection, schema, existing)
  const about = { schema, names: indexNames }
  if (steps.length === 0 && isUpToDate(migration)) return findKeptObjects(existing, before, about)
  for (const step of steps) takeStep(migration, step, before)
  for (const sql of indexSql(existingTables(connection), schema)) connection.database.exec(sql)
  updateSearchIndexes(connection, schema, extent)
  insertCollections(connection, schema)
  saveLimits(connection, schema)
  const present = existingTables(connection)
  const owned = saveOwnership(connection, schema, { before, present })
  checkReferences(connection, schema, file)
  return findKeptObjects(present, owned, about)
}

/** Whether nothing is to be done beside the steps. */
function isUpToDate({ connection, schema, extent, existing }: Migration): boolean {
  const missing = Object.keys(schema.tables).some((name) => !hasCollection(connection, name))
  // Indexes are compared only where every table is there already.
  return !(
    missing ||
    indexSql(existing, schema).length > 0 ||
    needSearchUpdate(connection, schema, extent) ||
    limitsDiffer(connection, schema) ||
    ownershipDiffers(connection, schema, existing)
  )
}

function takeStep({ connection, file }: Migration, step: SqliteStep, before: Ownership): void {
  const { database } = connection
  const others =
    step.rebuilds === undefined ? [] : foreignObjects(connection, step.rebuilds, before)
  for (const sql of step.sql) database.exec(sql)
  for (const { name, sql } of others) {
    try {
      database.exec(sql)
    } catch (cause) {
      const reason = `has '${name}', which another program has made and which does not fit the changed table`
      throw new StoreOpenError(`The database file ${file} ${reason}. Nothing was changed.`, {
        cause,
      })
    }
  }
}

/** Indexes and triggers of other programs, which go with the table they are on. */
function foreignObjects(connection: SqliteConnection, table: string, owned: Ownership) {
  const own = new Set(Object.values(owned).flatMap(({ indexes }) => indexes))
  const sql = `select "name", "sql" from sqlite_schema where "tbl_name" = ? and "type" in ('index', 'trigger') and "sql" is not null`
  const rows = connection.rows({ sql, values: [table] })
  return rows
    .map(([name, text]) => ({ name: String(name), sql: String(text) }))
    .filter(({ name }) => !own.has(name))
}

function hasCollection(connection: SqliteConnection, name: string): boolean {
  const found = connection.database
    .prepare('select 1 from "_collections" where "name" = ?')
    .get(name)
  return found !== undefined
}

function insertCollections(connection: SqliteConnection, schema: Schema): void {
  const insert = connection.database.prepare(
    'insert into "_collections" ("name", "revision") values (?, 0) on conflict do nothing',
  )
  for (const name of Object.keys(schema.tables)) insert.run(name)
}

/** The statements that make the indexes that are missing. */
function indexSql(existing: Existing, schema: Schema): string[] {
  return Object.values(schema.tables).flatMap((table) => {
    const present = new Set(existing.get(table.name)?.indexes.map(({ name }) => name))
    const made = indexesOf(table).filter(({ name }) => !present.has(name))
    return made.map((index) => createIndexSql(table.name, index))
  })
}

export function checkReferences(
  connection: SqliteConnection,
  { tables }: Schema,
  file: string,
): void {
  for (const name of Object.keys(tables)) {
    const [dangling] = queryRows(connection, `pragma foreign_key_check(${quoted(name)})`)
    if (dangling === undefined) continue
    const reason = `has rows in ${dangling[0]} that refer to rows of ${dangling[2]} which are not there`
    throw new StoreOpenError(`The database file ${file} ${reason}. Nothing was changed.`)
  }
}

function transacted(connection: SqliteConnection, statements: readonly string[]): void {
  connection.database.exec(['begin immediate', ...statements, 'commit'].join(';\n'))
}
