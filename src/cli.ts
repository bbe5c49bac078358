/** The `restwell` command: a table of commands, each in a file of its own. */

import { check } from './commands/check.ts'
import { client } from './commands/client.ts'
import { type Command, CommandFault } from './commands/command.ts'
import { copy } from './commands/copy.ts'
import { init } from './commands/init.ts'
import { migrate } from './commands/migrate.ts'
import { openapi } from './commands/openapi.ts'
import { routes } from './commands/routes.ts'
import { serve } from './commands/serve.ts'
import { token } from './commands/token.ts'
import { user } from './commands/user.ts'
import { nearest } from './declare/suggestion.ts'

export const commands: ReadonlyMap<string, Command> = new Map([
  ['init', init],
  ['serve', serve],
  ['migrate', migrate],
  ['copy', copy],
  ['user', user],
  ['token', token],
  ['check', check],
  ['routes', routes],
  ['openapi', openapi],
  ['client', client],
])

/** Runs the command that the arguments name; resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(usage())
    return name === undefined ? 2 : 0
  }
  const command = commands.get(name)
  if (!command) {
    process.stderr.write(unknownCommand(name))
    return 2
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`Usage: restwell ${describe(name, command)}`)
    return 0
  }
  try {
    return await command.run(rest)
  } catch (error) {
    if (!(error instanceof CommandFault)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

function usage(): string {
  const lines = [...commands].map(([name, command]) => `  ${describe(name, command)}`)
  return `HTTP has the verbs, bring the nouns.\n\nUsage: restwell COMMAND\n\n${lines.join('')}`
}

function describe(name: string, { usage, summary }: Command): string {
  return `${name} ${usage}\n      ${summary}\n`
}

function unknownCommand(name: string): string {
  const suggestion = nearest(name, [...commands.keys()])
  const hint = suggestion === undefined ? "Try 'restwell help'." : `Did you mean '${suggestion}'?`
  return `No command '${name}'. ${hint}\n`
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2))
