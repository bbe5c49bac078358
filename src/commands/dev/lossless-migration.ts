/** Migrates the database of `restwell dev` where no data is lost, and explains the other steps. */

import { existsSync } from 'node:fs'
import type { Model } from '../../definition/model.ts'
import { isPostgresUrl, withoutPassword } from '../../store/postgres/connection/database-url.ts'
import {
  canApply,
  formatPlan,
  formatTakenSteps,
  type MigrationStep,
} from '../../store/schema/migration-plan.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import { migrate, planMigration } from '../../store/schema/run-migration.ts'
import { parseSqliteUrl } from '../../store/sqlite/connection/database-url.ts'
import { StoreOpenError } from '../../store/store.ts'

/**
 * Returns what was done and what was not, in lines; empty where the database fits. Where a step would lose data,
 * opening the database takes the steps that only add. Throws a StoreOpenError for the developer where that is not enough.
 */
export async function migrateIfLossless(database: string, model: Model): Promise<string> {
  if (isNewDatabase(database)) return ''
  const schema = schemaOf(model)
  const steps = await planMigration(database, schema)
  if (steps.length === 0) return ''
  if (canApply(steps, 'safe')) {
    const taken = await migrate(database, schema, 'safe')
    return `The database was migrated in these steps:\n${formatTakenSteps(taken.steps)}\n`
  }
  if (!canApply(steps, 'start')) throw new StoreOpenError(formatMisfit(database, steps))
  const head = 'The database has data that the definition does not. It is kept:'
  const losses = formatPlan(steps.filter(({ loss }) => loss !== undefined))
  return `${head}\n${losses}\nStop the service and drop it with: npx restwell migrate --apply --allow-loss\n`
}

/** Names the steps that the developer must decide about. Where one is impossible, drops can wait. */
function formatMisfit(database: string, steps: readonly MigrationStep[]): string {
  const impossible = steps.filter(({ obstacle }) => obstacle !== undefined)
  const losing = steps.filter(
    ({ effect, obstacle, loss }) =>
      obstacle === undefined && loss !== undefined && (effect !== 'drops' || impossible.length === 0),
  )
  const remedies =
    impossible.length > 0
      ? ['  make a new field optional, or give it a default', '  mend the rows, with the former definition']
      : ['  accept that: stop this command, and run npx restwell migrate --apply --allow-loss']
  return [
    `The saved data does not fit the changed definition. The database ${withoutPassword(database)} is as it was.`,
    ...formatReasons('These changes are not possible:', impossible),
    ...formatReasons('These changes lose data, or leave rows that do not fit:', losing),
    'You can:',
    ...remedies,
    '  change the definition back',
    '  start with another database: npx restwell dev --database file:data/other.db',
  ].join('\n')
}

function formatReasons(title: string, steps: readonly MigrationStep[]): readonly string[] {
  if (steps.length === 0) return []
  return [title, ...steps.map(({ line, obstacle, loss }) => `  ${line}\n    ${obstacle ?? loss}`)]
}

/** Whether opening the database creates it. */
function isNewDatabase(database: string): boolean {
  if (isPostgresUrl(database)) return false
  const location = parseSqliteUrl(database)
  return !('file' in location) || !existsSync(location.file)
}
