/** Parses the flags of a command. */

import type { ParseArgsOptionsConfig } from 'node:util'
import { findNearestName } from '../../definition/name-suggestion.ts'
import { parseArgs } from '../../tools/node-builtins.ts'
import { OperatorFault } from '../../tools/operator-fault.ts'

/** The names of the flags of a command. */
export interface FlagTable {
  /** Each takes a text. Repeated ones override the former. */
  readonly values?: readonly string[]
  /** Each takes a text, and may be repeated. */
  readonly lists?: readonly string[]
  readonly switches?: readonly string[]
}

export interface Flags {
  /** The other arguments. */
  readonly words: readonly string[]
  readonly values: Readonly<Record<string, string | undefined>>
  readonly lists: Readonly<Record<string, readonly string[] | undefined>>
  /** Those that are set. */
  readonly switches: ReadonlySet<string>
}

/** Throws an OperatorFault that says what to change. */
export function parseFlags(args: readonly string[], table: FlagTable): Flags {
  const { values: single = [], lists = [], switches = [] } = table
  const options: ParseArgsOptionsConfig = Object.fromEntries([
    ...single.map((name) => [name, { type: 'string' }]),
    ...lists.map((name) => [name, { type: 'string', multiple: true }]),
    ...switches.map((name) => [name, { type: 'boolean' }]),
  ])
  try {
    const { values, positionals } = parseArgs({
      args: joinValues(args, options),
      options,
      allowPositionals: true,
    })
    return {
      words: positionals,
      // As the options say.
      values: values as Flags['values'],
      lists: values as Flags['lists'],
      switches: new Set(switches.filter((name) => values[name] === true)),
    }
  } catch (cause) {
    throw new OperatorFault(explainFlagFault(args, Object.keys(options), cause), { cause })
  }
}

/** Values may begin with a hyphen, as a hash in Base64 may: `--head -x` means `--head=-x`. */
function joinValues(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const isFlag = (arg: string) => Object.hasOwn(options, arg.replace(/^--|=.*$/gs, ''))
  const joined: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const [arg, value] = [args[at] as string, args[at + 1]]
    const takesValue = arg.startsWith('--') && options[arg.slice(2)]?.type === 'string'
    const isValue = takesValue && value?.startsWith('-') && !isFlag(value)
    joined.push(isValue ? `${arg}=${value}` : arg)
    if (isValue) at += 1
  }
  return joined
}

/** Names the unknown flag and the nearest known one; Node's message explains escaping instead. */
function explainFlagFault(args: readonly string[], known: readonly string[], error: unknown): string {
  const names = args.map((arg) => /^--?([^=]*)/.exec(arg)?.[1])
  const unknown = names.find((name) => name !== undefined && !known.includes(name))
  if (unknown === undefined) return `${error instanceof Error ? error.message : error}.`
  const suggestion = findNearestName(unknown, known)
  const hint =
    suggestion === undefined
      ? `Expected: ${known.map((name) => `--${name}`).join(', ')}.`
      : `Did you mean '--${suggestion}'?`
  return `Unknown option '--${unknown}'. ${hint}`
}
