/** Plans and takes migrations of the database that a URL names, while nobody else does. */

import { isPostgresUrl, parsePostgresUrl } from '../postgres/connection/location.ts'
import { toOpenError } from '../postgres/postgres-failure.ts'
import {
  migrateDatabase as evolvePostgres,
  loadPlan as planOfPostgres,
} from '../postgres/schema/migrate-database.ts'
import { parseSqliteUrl } from '../sqlite/connection/location.ts'
import { withLockedFile } from '../sqlite/open-sqlite.ts'
import { backUp } from '../sqlite/schema/backup.ts'
import {
  migrateFile as evolveSqlite,
  loadPlan as planOfSqlite,
} from '../sqlite/schema/migrate-database.ts'
import type { MigrationStep, PlanExtent } from './migration-plan.ts'
import type { Schema } from './table-schema.ts'

/** What would be done; nothing is. Throws StoreOpenError where the database cannot be used. */
export async function planMigration(
  url: string,
  schema: Schema,
): Promise<readonly MigrationStep[]> {
  if (!isPostgresUrl(url)) {
    return withLockedFile(parseSqliteUrl(url), (place) => planOfSqlite(place, schema))
  }
  const location = parsePostgresUrl(url)
  return planOfPostgres(location, schema).catch((error) => {
    throw toOpenError(location.shown, error)
  })
}

export interface Migrated {
  readonly steps: readonly MigrationStep[]
  /** The copy that was made before something was lost. */
  readonly copy: string | undefined
}

/** Takes all steps or none. Throws StoreOpenError, with the plan, where they go further than allowed. */
export async function migrate(url: string, schema: Schema, extent: PlanExtent): Promise<Migrated> {
  if (!isPostgresUrl(url)) return migrateFile(url, schema, extent)
  const location = parsePostgresUrl(url)
  const { steps } = await evolvePostgres(location, schema, extent).catch((error) => {
    throw toOpenError(location.shown, error)
  })
  // What is taken out of sight there is set aside, not dropped.
  return { steps, copy: undefined }
}

function migrateFile(url: string, schema: Schema, extent: PlanExtent): Migrated {
  return withLockedFile(parseSqliteUrl(url), (place) => {
    const loses = planOfSqlite(place, schema).some(({ loss }) => loss !== undefined)
    const copy = loses && extent === 'all' ? backUp(place.file, new Date()) : undefined
    return { steps: evolveSqlite(place, schema, extent).steps, copy }
  })
}
