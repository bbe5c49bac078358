/** `restwell migrate`: shows, checks or applies the migration of a database to a changed definition. */

import type { Command } from '../operation/command-frame/command.ts'
import { type MigrationConfig, readMigrationConfig } from '../operation/configuration/config.ts'
import { loadDefinition } from '../service/load-definition.ts'
import { formatPlan, formatTakenSteps, type MigrationStep } from '../store/schema/migration-plan.ts'
import { schemaOf } from '../store/schema/model-schema.ts'
import { migrate as migrateStore, planMigration } from '../store/schema/run-migration.ts'

export const migrate: Command = {
  usage: '[service.ts] [--database URL] [--check | --apply [--allow-loss]]',
  summary: 'Shows the changes that fit the database to the definition; --apply makes them.',
  run: runMigrate,
}

async function runMigrate(args: readonly string[]): Promise<number> {
  const config = readMigrationConfig(args)
  const { model } = await loadDefinition(config.file)
  return performMigration(config, schemaOf(model))
}

async function performMigration(
  { database, action, extent }: MigrationConfig,
  schema: ReturnType<typeof schemaOf>,
): Promise<number> {
  if (action === 'apply') {
    const { steps, copy } = await migrateStore(database, schema, extent)
    if (copy !== undefined) process.stdout.write(`Backup of the database before the changes: ${copy}\n`)
    process.stdout.write(formatResult('These steps were taken:', steps, formatTakenSteps))
    return 0
  }
  const steps = await planMigration(database, schema)
  process.stdout.write(formatResult('Plan:', steps, formatPlan))
  return action === 'check' && steps.length > 0 ? 1 : 0
}

function formatResult(head: string, steps: readonly MigrationStep[], format: typeof formatPlan): string {
  if (steps.length === 0) return 'The database fits the definition. Nothing to do.\n'
  return `${head}\n${format(steps)}\n`
}
