/** Parses the flags of a command. */

import type { ParseArgsOptionsConfig } from 'node:util'
import { findNearestName } from '../../definition/name-suggestion.ts'
import { parseArgs } from '../../tools/node-builtins.ts'

/** Returns the values of the flags, and the other arguments. Throws an Error that says what to change. */
export function parseFlags<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: joinValues(args, options), options, allowPositionals: true })
  } catch (cause) {
    throw new Error(explainFlagFault(args, Object.keys(options), cause), { cause })
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
