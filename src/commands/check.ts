/** `restwell check`: checks a definition and describes it in words. */

import { readFileSync } from 'node:fs'
import { schemeNames } from '../access/authentication-schemes.ts'
import type { JsonSchema, Model, ResourceModel } from '../definition/model.ts'
import type { Sample } from '../definition/sample-rows.ts'
import { findBrokenLaws } from '../definition/version-laws.ts'
import { findBreakingChanges } from '../describe/breaking-changes.ts'
import { createCapabilities } from '../describe/create-capabilities.ts'
import { createOpenApi } from '../describe/openapi.ts'
import { type Command, CommandFault, type LoadedDefinition } from '../operation/command-frame/command.ts'
import { type CheckedText, writeOutput } from '../operation/command-frame/output.ts'
import { readSecretsConfig } from '../operation/configuration/config.ts'
import { personalPartsOf } from '../requests/respond/cacheability.ts'
import { rehearseFirstStart } from '../service/first-start.ts'
import { loadDocuments } from '../service/loaded-features.ts'
import { checkSecrets } from './check-secrets.ts'
import { explainAccounts, explainResource, explainService } from './definition-summary.ts'

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

/** Declarations that are valid, but rarely meant. */
function warningsOf({ resources, service }: Model): readonly string[] {
  const all = [...resources.values()]
  return [
    ...all
      .filter(isClosed)
      .map(
        ({ name }) =>
          `${name}: no rule permits a caller to read, create, update or delete items, so only logic and commands reach them. Declare access, such as: access: { read: anyone }`,
      ),
    ...[...(service?.actions.values() ?? [])]
      .filter(({ by }) => by.kind === 'nobody')
      .map(
        ({ name, isSafe }) =>
          `${isSafe ? 'Query' : 'Action'} '${name}' of the service: no rule permits a caller to send it, so only programs reach it. Declare by, such as: by: signedIn`,
      ),
    ...all.flatMap((resource) => warnOfPersonalCache(resource) ?? []),
    ...all.flatMap(warnOfNeedlessIndexes),
  ]
}

function isClosed({ access, actions }: ResourceModel): boolean {
  const rules = [...Object.values(access), ...[...actions.values()].map(({ by }) => by)]
  return rules.every(({ kind }) => kind === 'nobody')
}

/** Where everyone reads all items, a part that makes the content personal is rarely meant. */
function warnOfPersonalCache(resource: ResourceModel): string | undefined {
  const { access, cache } = resource
  const parts = cache === undefined || access.read.kind !== 'anyone' ? [] : personalPartsOf(resource)
  if (parts.length === 0) return undefined
  return `${resource.name}: 'cache' has an effect only for callers without credentials. The responses to others are 'private, no-cache', because callers see different content: ${parts.join('; ')}.`
}

/** An index serves all queries of those that it begins with, and a unique field has one. */
function warnOfNeedlessIndexes({ name, indexes }: ResourceModel): readonly string[] {
  const lists = indexes.map((fields) => fields.map((field) => field.name))
  return lists.flatMap((names, at) => {
    const isWithin = (other: readonly string[]) =>
      other.length > names.length && names.every((one, index) => other[index] === one)
    const longer = lists.find(isWithin)
    const [only, ...more] = indexes[at] ?? []
    const reason = longer
      ? `the index of ${longer.join(', ')} begins with it`
      : only?.unique && more.length === 0
        ? 'its unique() has one'
        : undefined
    if (reason === undefined) return []
    return [
      `${name}: the index of ${names.join(', ')} is not needed, because ${reason}. Remove it from 'index'.`,
    ]
  })
}
