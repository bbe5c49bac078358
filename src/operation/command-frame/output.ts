/** The frame of commands that print one text, to standard output or to the file in `--out`. */

import { writeFileSync } from 'node:fs'
import { parseFlags } from '../configuration/flags.ts'
import { type CommandCall, CommandFault, type LoadedDefinition } from './command.ts'

export interface Output {
  readonly definition: LoadedDefinition
  /** Further flags that the command knows, by name. */
  readonly flags: Readonly<Record<string, string | undefined>>
}

/** The text of a command that checks something, with its exit code. */
export interface CheckedText {
  readonly text: string
  readonly exitCode: number
}

/** Parses `[service.ts] [--out FILE]` and the other flags with values, and writes the text. */
export async function writeOutput(
  { args, load }: CommandCall,
  flagNames: readonly string[],
  resultOf: (output: Output) => string | CheckedText | Promise<string | CheckedText>,
): Promise<number> {
  const { values, positionals } = parse(args, ['out', ...flagNames])
  if (positionals.length > 1) {
    throw new CommandFault(`Expected one definition file, got ${positionals.length}.`)
  }
  const definition = await load(positionals[0] ?? 'service.ts')
  const result = await resultOf({ definition, flags: values })
  const { text, exitCode } = typeof result === 'string' ? { text: result, exitCode: 0 } : result
  if (values.out === undefined) process.stdout.write(text)
  else writeTo(values.out, text)
  return exitCode
}

function parse(args: readonly string[], names: readonly string[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    const { values, positionals } = parseFlags(args, options)
    // All flags take a value, so each value is a string.
    return { values: values as Readonly<Record<string, string | undefined>>, positionals }
  } catch (cause) {
    throw new CommandFault(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function writeTo(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFault(`Cannot write ${file}: ${reason}. Choose another file with --out.`, {
      cause,
    })
  }
}
