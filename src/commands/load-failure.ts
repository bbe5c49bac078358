/** The message for a definition file that cannot be loaded. */

import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeFolder, sourceFolder } from '../package-paths.ts'

/** Returns one line: the error, its place in the user's code, and what to do. */
export function explainLoadFailure(file: string, cause: unknown): string {
  const reason = oneLine(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause))
  const location = cause instanceof Error ? findLocation(cause) : undefined
  const where = location === undefined ? '' : ` (${location})`
  return `${file} cannot be loaded: ${reason.replace(/\.$/, '')}${where}. ${remedyFor(cause)}`
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
