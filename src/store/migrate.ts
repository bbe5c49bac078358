/** Plans and takes migrations of the database that a URL names, while nobody else does. */

import type { Extent, Step } from './migration.ts'
import { evolve as evolvePostgres, planOf as planOfPostgres } from './postgres/evolution.ts'
import { faultAt } from './postgres/failure.ts'
import { isPostgresUrl, parsePostgresUrl } from './postgres/location.ts'
import type { Schema } from './schema.ts'
import { backUp } from './sqlite/backup.ts'
import { evolve as evolveSqlite, planOf as planOfSqlite } from './sqlite/evolution.ts'
import { parseSqliteUrl } from './sqlite/location.ts'
import { withFile } from './sqlite/open.ts'

/** What would be done; nothing is. Throws StoreFault where the database cannot be used. */
export async function planMigration(url: string, schema: Schema): Promise<readonly Step[]> {
  if (!isPostgresUrl(url)) {
    return withFile(parseSqliteUrl(url), (place) => planOfSqlite(place, schema))
  }
  const location = parsePostgresUrl(url)
  return planOfPostgres(location, schema).catch((error) => {
    throw faultAt(location.shown, error)
  })
}

export interface Migrated {
  readonly steps: readonly Step[]
  /** The copy that was made before something was lost. */
  readonly copy: string | undefined
}

/** Takes all steps or none. Throws StoreFault, with the plan, where they go further than allowed. */
export async function migrate(url: string, schema: Schema, extent: Extent): Promise<Migrated> {
  if (!isPostgresUrl(url)) return migrateFile(url, schema, extent)
  const location = parsePostgresUrl(url)
  const { steps } = await evolvePostgres(location, schema, extent).catch((error) => {
    throw faultAt(location.shown, error)
  })
  // What is taken out of sight there is set aside, not dropped.
  return { steps, copy: undefined }
}

function migrateFile(url: string, schema: Schema, extent: Extent): Migrated {
  return withFile(parseSqliteUrl(url), (place) => {
    const loses = planOfSqlite(place, schema).some(({ loss }) => loss !== undefined)
    const copy = loses && extent === 'all' ? backUp(place.file, new Date()) : undefined
    return { steps: evolveSqlite(place, schema, extent).steps, copy }
  })
}
