/** `restwell completions`: prints a script that completes commands and options in a shell. */

import { type Command, CommandFault } from '../operation/command-frame/command.ts'

/** A command as the scripts know it. */
export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  /** The options of its usage, such as `--port`. */
  readonly options: readonly string[]
}

type Shell = (commands: readonly CompletedCommand[]) => string

const shells: Readonly<Record<string, Shell>> = { bash: formatBash, zsh: formatZsh, fish: formatFish }

export type CommandTable = ReadonlyMap<string, () => Promise<Command>>

/** The command for the scripts of all commands of the table. */
export function createCompletions(commands: CommandTable): Command {
  return {
    usage: 'bash|zsh|fish',
    summary: 'Prints a script that completes commands and options in a shell.',
    async run(args) {
      const [shell = '', ...more] = args
      const format = Object.hasOwn(shells, shell) ? shells[shell] : undefined
      if (!format || more.length > 0) {
        throw new CommandFault(`Expected one of bash, zsh, fish, got '${args.join(' ')}'.`)
      }
      process.stdout.write(format(await Promise.all([...commands].map(describeCommand))))
      return 0
    },
  }
}

async function describeCommand([name, load]: readonly [
  string,
  () => Promise<Command>,
]): Promise<CompletedCommand> {
  const { usage, summary } = await load()
  const options = new Set([...usage.matchAll(/--[a-z-]+/g)].map(([option]) => option))
  return { name, summary, options: [...options, '--help'] }
}

function formatBash(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  const cases = commands.map(({ name, options }) => `    ${name}) options='${options.join(' ')}' ;;`)
  return `# bash completion for restwell: source <(restwell completions bash)
_restwell() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names} help' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _restwell restwell
`
}

function formatZsh(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name, summary }) => `    '${name}:${quoteZsh(summary)}'`)
  const cases = commands.map(({ name, options }) => `    ${name}) options=(${options.join(' ')}) ;;`)
  return `#compdef restwell
# zsh completion for restwell: restwell completions zsh > "\${fpath[1]}/_restwell"
_restwell() {
  local -a commands options
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- $options
  else
    _files
  fi
}
compdef _restwell restwell
`
}

/** Within single quotes, in a list of _describe. */
function quoteZsh(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(':', '\\:')
}

function formatFish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c restwell -n __fish_use_subcommand -f -a ${name} -d '${quoteFish(summary)}'`,
    ...options.map(
      (option) =>
        `complete -c restwell -n '__fish_seen_subcommand_from ${name}' -l ${option.slice('--'.length)}`,
    ),
  ])
  return `# fish completion for restwell: restwell completions fish > ~/.config/fish/completions/restwell.fish\n${lines.join('\n')}\n`
}

function quoteFish(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
}
