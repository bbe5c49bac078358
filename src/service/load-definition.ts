/** Loads a definition file: its checked model, and its sample rows if it exports some. */

import { existsSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { DefinitionFault } from '../definition/definition-fault.ts'
import type { Model } from '../definition/model.ts'
import type { Sample } from '../definition/sample-rows.ts'
import { isDefinition } from '../definition/service-definition.ts'
import { CommandFault, type LoadedDefinition } from '../operation/command-frame/command.ts'
import { codeFolder, sourceFolder } from '../package-paths.ts'
import { checkDefinition } from './check-definition.ts'

/** Throws a CommandFault when the file is missing, cannot be loaded, or has faults. */
export async function loadDefinition(file: string): Promise<LoadedDefinition> {
  requireDefinitionFile(file)
  const module = await importFile(resolve(file), file)
  if (!isDefinition(module.default)) {
    throw new CommandFault(
      `${file} has no service as its default export. End it with: export default service({ … })`,
    )
  }
  return { model: requireValid(module.default, file), sample: module.sample as Sample | undefined }
}

/** Throws a CommandFault when there is no such file. */
export function requireDefinitionFile(file: string): void {
  if (existsSync(resolve(file))) return
  throw new CommandFault(
    `No definition file at ${file}. Name the file that exports your service, such as: restwell serve service.ts; for copy, user and token with --service FILE.`,
  )
}

async function importFile(path: string, file: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(path).href)
  } catch (cause) {
    throw new CommandFault(explainLoadFailure(file, cause), { cause })
  }
}

/** Returns the error, its place in the user's code, and what to do; for wrong syntax the lines of code too. */
function explainLoadFailure(file: string, cause: unknown): string {
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
const ownFolders = [codeFolder + sep, sourceFolder + sep]

/** The first place in the stack outside Restwell and Node. */
function findLocation({ stack = '' }: Error): string | undefined {
  for (const [, address = '', line] of stack.matchAll(/(?:^|[\s(])((?:file:\/\/)?\/[^\s():]+):(\d+)/g)) {
    const path = address.startsWith('file:') ? fileURLToPath(address) : address
    if (!ownFolders.some((folder) => path.startsWith(folder))) return `${relative('.', path)}:${line}`
  }
  return undefined
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function requireValid(definition: Parameters<typeof checkDefinition>[0], file: string): Model {
  try {
    return checkDefinition(definition)
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error
    throw new CommandFault(`The definition in ${file} has faults.\n${error.message}`, {
      cause: error,
    })
  }
}
