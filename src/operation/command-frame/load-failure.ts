/** The message for a definition file that cannot be loaded. */

import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeFolder, sourceFolder } from '../../package-paths.ts'

/** Returns the error, its place in the user's code, and what to do; for wrong syntax the lines of code too. */
export function explainLoadFailure(file: string, cause: unknown): string {
  const reason = oneLine(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause))
  const location = cause instanceof Error ? findLocation(cause) : undefined
  const lines = cause instanceof SyntaxError ? findLines(cause) : undefined
  const doubt = lines !== undefined && isAtBeginning(lines) ? ', or the line above' : ''
  const where = location === undefined ? '' : ` (${location}${doubt})`
  const message = `${file} cannot be loaded: ${reason.replace(/\.$/, '')}${where}. ${remedyFor(cause)}`
  return lines === undefined ? message : `${message}\n${lines}`
}

/** The lines that Node shows before a SyntaxError, between its place and its name. */
function findLines({ stack = '' }: SyntaxError): string | undefined {
  return /^[^\n]+:\d+\n(.*?)\n+SyntaxError/s.exec(stack)?.[1]
}

/**
 * Whether the parser stopped at the first word of a line. The mistake, such as a missing quote or
 * comma, is then in a line before.
 */
function isAtBeginning(lines: string): boolean {
  const all = lines.split('\n')
  const marks = all.findIndex((line) => /^ *\^+$/.test(line))
  return marks > 1 && all[marks]?.indexOf('^') === all[marks - 1]?.search(/\S/)
}

function remedyFor(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code !== 'ERR_MODULE_NOT_FOUND') return 'Correct it and run the command again.'
  return "Correct the import, or install the missing package with 'npm install'."
}

/** The folders of Restwell itself. Source maps name both. */
const own = [codeFolder + sep, sourceFolder + sep]

/** The first place in the stack outside Restwell and Node. */
function findLocation({ stack = '' }: Error): string | undefined {
  for (const [, address = '', line] of stack.matchAll(/(?:^|[\s(])((?:file:\/\/)?\/[^\s():]+):(\d+)/g)) {
    const path = address.startsWith('file:') ? fileURLToPath(address) : address
    if (!own.some((folder) => path.startsWith(folder))) return `${relative('.', path)}:${line}`
  }
  return undefined
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
