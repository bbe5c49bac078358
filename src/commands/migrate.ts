/** `restwell migrate`: shows, checks or applies the migration of a database to a changed definition. */

import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { readCommandConfig } from '../operation/configuration/config.ts'
import { loadDefinition } from '../service/load-definition.ts'
import { formatPlan, formatTakenSteps, type MigrationStep } from '../store/schema/migration-plan.ts'
import { schemaOf } from '../store/schema/model-schema.ts'
import { migrate as migrateStore, planMigration } from '../store/schema/run-migration.ts'

export const migrate: Command = {
  usage: '[service.ts | --service FILE] [--database URL] [--check | --apply [--allow-loss]]',
  summary: 'Shows the changes that fit the database to the definition; --apply makes them.',
  run: runMigrate,
}

async function runMigrate(args: readonly string[]): Promise<number> {
  const config = readCommandConfig(args, { switches: ['check', 'apply', 'allow-loss'] })
  const { switches, words, database } = config
  const [isCheck, isApplied, isWhole] = ['check', 'apply', 'allow-loss'].map((name) => switches.has(name))
  if (isCheck && isApplied) throw new CommandFault('Use --check or --apply, not both.')
  if (isWhole && !isApplied) throw new CommandFault('--allow-loss needs --apply.')
  const { model } = await loadDefinition(words[0] ?? config.file)
  const schema = schemaOf(model)
  if (isApplied) {
    const { steps, copy } = await migrateStore(database, schema, isWhole ? 'all' : 'safe')
    if (copy !== undefined) process.stdout.write(`Backup of the database before the changes: ${copy}\n`)
    process.stdout.write(formatResult('These steps were taken:', steps, formatTakenSteps))
    return 0
  }
  const steps = await planMigration(database, schema)
  process.stdout.write(formatResult('Plan:', steps, formatPlan))
  return isCheck && steps.length > 0 ? 1 : 0
}

function formatResult(head: string, steps: readonly MigrationStep[], format: typeof formatPlan): string {
  if (steps.length === 0) return 'The database fits the definition. Nothing to do.\n'
  return `${head}\n${format(steps)}\n`
}
