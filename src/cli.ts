/** The `restwell` command: a table of commands, each in a file of its own. */

import { findNearestName } from './definition/name-suggestion.ts'
import type { Command, LoadDefinition } from './operation/command-frame/command.ts'
import { OperatorFault } from './tools/operator-fault.ts'

/** Each entry imports its command, so that a command loads only its own code. */
const ownCommands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['init', async () => (await import('./commands/init.ts')).init],
  ['dev', async () => (await import('./commands/dev.ts')).dev],
  ['serve', async () => (await import('./commands/serve.ts')).serve],
  ['migrate', async () => (await import('./commands/migrate.ts')).migrate],
  ['copy', async () => (await import('./commands/copy.ts')).copy],
  ['backup', async () => (await import('./commands/backup.ts')).backup],
  ['restore', async () => (await import('./commands/restore.ts')).restore],
  ['import', async () => (await import('./commands/import.ts')).importItems],
  ['export', async () => (await import('./commands/export.ts')).exportItems],
  ['user', async () => (await import('./commands/user.ts')).user],
  ['token', async () => (await import('./commands/token.ts')).token],
  ['erase', async () => (await import('./commands/erase.ts')).erase],
  ['check', async () => (await import('./commands/check.ts')).check],
  ['routes', async () => (await import('./commands/routes.ts')).routes],
  ['openapi', async () => (await import('./commands/openapi.ts')).openapi],
  ['client', async () => (await import('./commands/client.ts')).client],
])

/** The commands, with those of features. */
export async function loadCommands(): Promise<ReadonlyMap<string, () => Promise<Command>>> {
  const { features } = await import('./service/features.ts')
  return new Map([...ownCommands, ...features.flatMap(({ commands }) => Object.entries(commands ?? {}))])
}

/** Runs the command that the arguments name; resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(await usage())
    return name === undefined ? 2 : 0
  }
  const load = ownCommands.get(name) ?? (await loadCommands()).get(name)
  if (!load) {
    process.stderr.write(await unknownCommand(name))
    return 2
  }
  const command = await load()
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`Usage: restwell ${describe(name, command)}`)
    return 0
  }
  try {
    return await command.run(rest, loadDefinition)
  } catch (error) {
    if (!(error instanceof OperatorFault)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

/** Definitions are loaded with all built-in tables, which many commands do not need. */
const loadDefinition: LoadDefinition = async (file) => {
  const { loadDefinition: load } = await import('./service/load-definition.ts')
  return load(file)
}

async function usage(): Promise<string> {
  const descriptions = [...(await loadCommands())].map(
    async ([name, load]) => `  ${describe(name, await load())}`,
  )
  const lines = await Promise.all(descriptions)
  return `HTTP has the verbs, bring the nouns.\n\nUsage: restwell COMMAND\n\n${lines.join('')}`
}

function describe(name: string, { usage, summary }: Command): string {
  return `${name} ${usage}\n      ${summary}\n`
}

async function unknownCommand(name: string): Promise<string> {
  const suggestion = findNearestName(name, [...(await loadCommands()).keys()])
  const hint = suggestion === undefined ? "Run 'restwell help' for a list." : `Did you mean '${suggestion}'?`
  return `Unknown command '${name}'. ${hint}\n`
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2))
