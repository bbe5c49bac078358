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
  const { values, words } = parseFlags(args, { values: ['out', ...flagNames] })
  const [file = 'service.ts', ...others] = words
  if (others.length > 0) throw new CommandFault(`Expected one definition file, got ${words.length}.`)
  const definition = await load(file)
  const result = await resultOf({ definition, flags: values })
  const { text, exitCode } = typeof result === 'string' ? { text: result, exitCode: 0 } : result
  if (values.out === undefined) process.stdout.write(text)
  else writeTo(values.out, text)
  return exitCode
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
