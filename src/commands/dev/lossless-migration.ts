/** Migrates the database of `restwell dev` where no data is lost, and explains the other steps. */

import { existsSync } from 'node:fs'
import type { Model } from '../../definition/model.ts'
import { isPostgresUrl } from '../../store/postgres/connection/database-url.ts'
import { migrate, planMigration } from '../../store/schema/migrate-database.ts'
import { canApply, formatPlan } from '../../store/schema/migration-plan.ts'
import { schemaOf } from '../../store/schema/table-schema.ts'
import { parseSqliteUrl } from '../../store/sqlite/connection/database-url.ts'

/**
 * Returns what was done and what was not, in lines; empty where the database fits. Where a step
 * would lose data, opening the database takes the steps that only add, or is refused with the plan.
 */
export async function migrateIfLossless(database: string, model: Model): Promise<string> {
  if (isNewDatabase(database)) return ''
  const schema = schemaOf(model)
  const steps = await planMigration(database, schema)
  if (steps.length === 0) return ''
  if (canApply(steps, 'safe')) {
    await migrate(database, schema, 'safe')
    return `Migrated the database:\n${formatPlan(steps)}\n`
  }
  const head = 'The database has data that the definition does not. It is kept:'
  const losses = formatPlan(steps.filter(({ loss }) => loss !== undefined))
  return `${head}\n${losses}\nStop the service and drop it with: npx restwell migrate --apply --allow-loss\n`
}

/** Whether opening the database creates it. */
function isNewDatabase(database: string): boolean {
  if (isPostgresUrl(database)) return false
  const location = parseSqliteUrl(database)
  return !('file' in location) || !existsSync(location.file)
}
