/** `restwell check`: checks a definition and describes it in words. */

import { readFileSync } from 'node:fs'
import { schemeNames } from '../access/authentication-schemes.ts'
import type { JsonSchema, Model } from '../definition/model.ts'
import type { Sample } from '../definition/sample-rows.ts'
import { findBrokenLaws } from '../definition/version-laws.ts'
import { findBreakingChanges } from '../describe/breaking-changes.ts'
import { createCapabilities } from '../describe/create-capabilities.ts'
import { createOpenApi } from '../describe/openapi.ts'
import type { LoadedDefinition } from '../operation/command-frame/command.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { type CheckedText, writeOutput } from '../operation/command-frame/output.ts'
import { readSecretsConfig } from '../operation/configuration/config.ts'
import { rehearseFirstStart } from '../service/first-start.ts'
import { loadDocuments } from '../service/loaded-features.ts'
import { checkSecrets } from './check-secrets.ts'
import { explainAccounts, explainResource, explainService } from './definition-summary.ts'
import { warningsOf } from './definition-warnings.ts'

export const check: Command = {
  usage: '[service.ts] [--out FILE] [--against openapi.json] [--database URL]',
  summary: 'Checks the definition and describes it in words, or lists what would break clients.',
  run: (args, load) =>
    writeOutput({ args, load }, ['against', 'database'], ({ definition, flags }) =>
      flags.against === undefined
        ? checkService(definition, flags.database)
        : listBreakingChanges(definition.model, flags.against),
    ),
}

/** All changes since the OpenAPI document that would break clients; the exit code is 1 where there are some. */
async function listBreakingChanges(model: Model, file: string): Promise<CheckedText> {
  const capabilities = createCapabilities(schemeNames(model), await loadDocuments(model))
  const next = createOpenApi({ model, audience: 'everyone', capabilities })
  const breaks = findBreakingChanges(readOpenApi(file), next)
  if (breaks.length === 0) return { text: `Nothing would break clients of ${file}.\n`, exitCode: 0 }
  const heading = `${breaks.length} ${breaks.length === 1 ? 'change' : 'changes'} would break clients of ${file}:`
  return { text: `${[heading, ...breaks].join('\n  ')}\n`, exitCode: 1 }
}

function readOpenApi(file: string): JsonSchema {
  const document = parseFile(file)
  const isOpenApi =
    typeof document === 'object' && document !== null && 'openapi' in document && 'paths' in document
  if (!isOpenApi)
    throw new CommandFault(`${file} is no OpenAPI document. Make one with: restwell openapi --out ${file}`)
  return document as JsonSchema
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFault(`Cannot read ${file}: ${reason}`, { cause })
  }
}

/** The definition in words, and the state of the secrets. The exit code is 1 where a start is refused. */
async function checkService(
  { model, sample }: LoadedDefinition,
  named: string | undefined,
): Promise<CheckedText> {
  const { database, secretKeys } = readSecretsConfig(named)
  if (sample !== undefined) await rehearseFirstStart(model, sample)
  const { lines, isRefused } = await checkSecrets(database, secretKeys)
  return { text: explainModel(model, sample) + formatNotes('Secrets', lines), exitCode: isRefused ? 1 : 0 }
}

function explainModel(model: Model, sample: Sample | undefined): string {
  const resources = [...model.resources.values()].map((resource) => explainResource(model, resource))
  const notes =
    formatNotes('Versions', findBrokenLaws(model, sample)) + formatNotes('Warnings', warningsOf(model))
  return `The definition '${model.title}' is valid.\n${explainAccounts(model)}\n${resources.join('\n')}${explainService(model)}${notes}`
}

function formatNotes(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${heading}:\n${lines.map((line) => `  ${line}\n`).join('')}`
}
