/** Loads a definition file: its checked model, and its sample rows if it exports some. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkDefinition } from '../../definition/check-definition.ts'
import { DefinitionFault } from '../../definition/definition-fault.ts'
import type { Model } from '../../definition/model.ts'
import type { Sample } from '../../definition/sample-rows.ts'
import { isDefinition } from '../../definition/service-definition.ts'
import { CommandFault } from './command.ts'
import { explainLoadFailure } from './load-failure.ts'

export interface LoadedDefinition {
  readonly model: Model
  readonly sample: Sample | undefined
}

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
