/** Plans and runs migrations of the database of a URL, with the database locked. */

import { isPostgresUrl, parsePostgresUrl } from '../postgres/connection/database-url.ts'
import { toOpenError } from '../postgres/postgres-failure.ts'
import {
  loadPlan as loadPostgresPlan,
  migrateDatabase as migratePostgres,
} from '../postgres/schema/migrate-database.ts'
import { parseSqliteUrl } from '../sqlite/connection/database-url.ts'
import { withLockedFile } from '../sqlite/open-sqlite.ts'
import { backUp } from '../sqlite/schema/backup.ts'
import {
  loadPlan as loadSqlitePlan,
  migrateFile as migrateSqlite,
} from '../sqlite/schema/migrate-database.ts'
import type { MigrationStep, PlanExtent } from './migration-plan.ts'
import type { Schema } from './table-schema.ts'

/** Returns all steps, without taking any. Throws StoreOpenError where the database cannot be used. */
export async function planMigration(url: string, schema: Schema): Promise<readonly MigrationStep[]> {
  if (!isPostgresUrl(url)) {
    return withLockedFile(parseSqliteUrl(url), (databaseFile) => loadSqlitePlan(databaseFile, schema))
  }
  const location = parsePostgresUrl(url)
  return loadPostgresPlan(location, schema).catch((error) => {
    throw toOpenError(location.displayUrl, error)
  })
}

export interface Migrated {
  readonly steps: readonly MigrationStep[]
  /** The backup file that was created before a loss of data. */
  readonly copy: string | undefined
}

/** Takes all steps or none. Throws StoreOpenError, with the plan, where a step exceeds the extent. */
export async function migrate(url: string, schema: Schema, extent: PlanExtent): Promise<Migrated> {
  if (!isPostgresUrl(url)) return migrateFile(url, schema, extent)
  const location = parsePostgresUrl(url)
  const { steps } = await migratePostgres(location, schema, extent).catch((error) => {
    throw toOpenError(location.displayUrl, error)
  })
  // PostgreSQL sets removed data aside, so there is no backup.
  return { steps, copy: undefined }
}

function migrateFile(url: string, schema: Schema, extent: PlanExtent): Migrated {
  return withLockedFile(parseSqliteUrl(url), (databaseFile) => {
    const loses = loadSqlitePlan(databaseFile, schema).some(({ loss }) => loss !== undefined)
    const copy = loses && extent === 'all' ? backUp(databaseFile.file, new Date()) : undefined
    return { steps: migrateSqlite(databaseFile, schema, extent).steps, copy }
  })
}
