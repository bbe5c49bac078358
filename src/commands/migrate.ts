/** `restwell migrate`: shows what a changed definition does to the database, checks it, does it. */

import { ConfigFault, type MigrationConfig, readMigrationConfig } from '../config.ts'
import { migrate as migrateStore, planMigration } from '../store/schema/migrate-database.ts'
import { formatPlan, type MigrationStep } from '../store/schema/migration-plan.ts'
import { schemaOf } from '../store/schema/table-schema.ts'
import { StoreOpenError } from '../store/store.ts'
import { type Command, CommandFault } from './command.ts'
import { loadDefinition } from './load-definition.ts'

export const migrate: Command = {
  usage: '[service.ts] [--database URL] [--check | --apply [--allow-loss]]',
  summary: 'Shows what the database lacks to fit the definition; --apply does it.',
  run: runMigrate,
}

async function runMigrate(args: readonly string[]): Promise<number> {
  try {
    const config = readMigrationConfig(args)
    const { model } = await loadDefinition(config.file)
    return await performMigration(config, schemaOf(model))
  } catch (error) {
    if (!(error instanceof ConfigFault || error instanceof StoreOpenError)) throw error
    throw new CommandFault(error.message, { cause: error })
  }
}

async function performMigration(
  { database, action, extent }: MigrationConfig,
  schema: ReturnType<typeof schemaOf>,
): Promise<number> {
  if (action === 'apply') {
    const { steps, copy } = await migrateStore(database, schema, extent)
    if (copy !== undefined) process.stdout.write(`A copy as it was: ${copy}\n`)
    process.stdout.write(formatResult(steps, 'Done:'))
    return 0
  }
  const steps = await planMigration(database, schema)
  process.stdout.write(formatResult(steps, 'The plan:'))
  return action === 'check' && steps.length > 0 ? 1 : 0
}

function formatResult(steps: readonly MigrationStep[], head: string): string {
  if (steps.length === 0) return 'The database fits the definition.\n'
  return `${head}\n${formatPlan(steps)}\n`
}
