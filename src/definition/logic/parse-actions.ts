/** Reads the actions and queries of a resource: their options, and the fields of their input and result. */

import { createCacheModel } from '../cache-options.ts'
import { findMisplacedModifier } from '../checks/field-modifiers.ts'
import { checkInputName } from '../checks/names.ts'
import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { type FieldDeclaration, findFieldDeclaration } from '../field.ts'
import type { FieldKind } from '../field-kind.ts'
import { maxObjectDepth, objectListKind } from '../kinds/object-list.ts'
import type { ActionModel, FileResult, ItemsResult } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import {
  anyValue,
  booleanOption,
  checkOptions,
  formatValue,
  functionOf,
  isComplete,
  type Options,
  type OptionTable,
  objectOption,
  oneOf,
  required,
} from '../option-table.ts'
import { parseOptionalRule } from '../parse-rules.ts'
import { type DeclaredField, type DeclaredMembers, parseFieldDeclaration } from '../resource-declaration.ts'
import { nobody } from '../rule-functions.ts'
import { findActionOptions, findQueryOptions } from './action.ts'
import { findItemsName } from './items.ts'
import { parseFileResult } from './parse-file-result.ts'

/** An action whose options are valid; the model adds the models of its input and its result. */
export interface DeclaredAction extends Omit<ActionModel, 'input' | 'result'> {
  readonly input: DeclaredMembers
  /** Undefined where the response shows an item. */
  readonly result: DeclaredResult | undefined
}

type DeclaredResult = DeclaredMembersResult | FileResult | ItemsResult

export interface DeclaredMembersResult {
  readonly kind: 'members'
  readonly members: DeclaredMembers
}

interface DeclaredOperations {
  readonly actions?: unknown
  readonly queries?: unknown
}

/** Returns the actions and the queries; reports everything that is not valid. */
export function parseActions(
  { actions, queries }: DeclaredOperations,
  { report, ...place }: OperationsPlace,
): readonly DeclaredAction[] {
  const parsed = [
    ...entriesOf('actions', actions, report).flatMap(([name, value]) =>
      parseAction(name, value, { ...place, report: prefixReport(`Action '${name}'`, report) }),
    ),
    ...entriesOf('queries', queries, report).flatMap(([name, value]) =>
      parseDeclaredQuery(name, value, { ...place, report: prefixReport(`Query '${name}'`, report) }),
    ),
  ]
  for (const [name, same] of Map.groupBy(parsed, (one) => one.name)) {
    if (same.length > 1) report(`The query '${name}' has the name of an action.`, 'Choose another name.')
  }
  return parsed
}

const examples = { actions: 'close: action({ … })', queries: 'progress: query({ … })' }

function entriesOf(place: keyof typeof examples, given: unknown, report: FaultReport) {
  if (given === undefined) return []
  if (objectOption.accepts(given)) return Object.entries(given)
  report(
    `'${place}' must be an object, not ${formatValue(given)}.`,
    `Write: ${place}: { ${examples[place]} }.`,
  )
  return []
}

export const actionOptionTable = {
  on: oneOf('item', 'collection'),
  input: objectOption,
  result: objectOption,
  by: anyValue,
  background: booleanOption,
  run: required(functionOf<ActionModel['run']>(), 'Write: run(item, input, tools) { … }.'),
} satisfies OptionTable

export const queryOptionTable = {
  on: oneOf('item', 'collection'),
  input: objectOption,
  result: required(objectOption, 'Write: result: { total: integer() }.'),
  by: anyValue,
  cache: objectOption,
  run: required(functionOf<ActionModel['run']>(), 'Write: run(item, input, tools) { … }.'),
} satisfies OptionTable

interface ActionPlace {
  /** The names of all collections, which references can name. */
  readonly collections: readonly string[]
  readonly report: FaultReport
}

/** The place of a field that no column holds. */
interface OperationsPlace extends ActionPlace {
  /** Whether they are of the service itself. */
  readonly isOfService: boolean
}

/** Where the operation is. Those of the service itself have no choice. */
function parsePlace(on: DeclaredAction['on'] | undefined, { isOfService, report }: OperationsPlace) {
  if (isOfService && on !== undefined) {
    report("'on' has no meaning for an operation of the service.", 'Remove it.')
  }
  return isOfService ? 'service' : (on ?? 'item')
}

interface UnstoredPlace extends ActionPlace {
  /** The subject of faults, such as `An input`. */
  readonly noun: string
  /** The place whose modifiers the field may have; an input by default. */
  readonly modifiers?: 'member' | 'result'
  readonly mayHaveObjects?: boolean
  readonly remedies: Remedies
}

/** The remedies for kinds that only stored items have. */
interface Remedies {
  readonly file: string
  readonly secret: string
  readonly state: string
}

function parseAction(name: string, given: unknown, place: OperationsPlace): readonly DeclaredAction[] {
  const { collections, report } = place
  const options = findActionOptions(given)
  if (options === undefined) {
    if (findQueryOptions(given) !== undefined) report('It is a query.', "Declare it in 'queries'.")
    else {
      report(
        `Not an action: ${formatValue(given)}.`,
        'Write: action({ by: signedIn, run(item, input, tools) { … } }).',
      )
    }
    return []
  }
  const valid = checkOptions(options, actionOptionTable, report)
  const { on, by, background } = valid
  const input = parseMembers(valid.input ?? {}, { collections, report, ...inputWords })
  const result = valid.result && parseResult(valid.result, { collections, report, operation: 'action' })
  if (result?.kind === 'file' && background) {
    report('A background action cannot return a file.', "Remove 'background'.")
  }
  const rule = parseOptionalRule(by, prefixReport("'by'", report)) ?? nobody
  if (!isComplete(valid, actionOptionTable)) return []
  const { run } = valid
  return [
    {
      name,
      isSafe: false,
      on: parsePlace(on, place),
      by: rule,
      background: background === true,
      cache: undefined,
      run,
      input,
      result,
    },
  ]
}

function parseDeclaredQuery(name: string, given: unknown, place: OperationsPlace): readonly DeclaredAction[] {
  const { collections, report } = place
  const options = findQueryOptions(given)
  if (options === undefined) {
    if (findActionOptions(given) !== undefined) report('It is an action.', "Declare it in 'actions'.")
    else {
      report(
        `Not a query: ${formatValue(given)}.`,
        'Write: query({ by: signedIn, result: { … }, run(item, input, tools) { … } }).',
      )
    }
    return []
  }
  const valid = checkOptions(options, queryOptionTable, report)
  const { on, by } = valid
  const input = parseMembers(valid.input ?? {}, { collections, report, ...inputWords })
  for (const taken of input.names.filter((one) => parameterNames.includes(one))) {
    report(`The input '${taken}': Every query has a parameter of this name.`, 'Choose another name.')
  }
  const result = valid.result && parseResult(valid.result, { collections, report, operation: 'query' })
  const cache = createCacheModel(valid.cache, report)
  if (cache?.compositeMaxAge !== undefined) {
    report("Cache: 'compositeMaxAge' is for resources.", "Use 'maxAge'.")
  }
  const rule = parseOptionalRule(by, prefixReport("'by'", report)) ?? nobody
  if (!isComplete(valid, queryOptionTable)) return []
  const { run } = valid
  return [
    { name, isSafe: true, on: parsePlace(on, place), by: rule, background: false, cache, run, input, result },
  ]
}

/** The parameters that each query has besides its input. */
const parameterNames: readonly string[] = ['format']

interface MemberWords {
  /** Such as `The input`, with the name of the member. */
  readonly one: string
  readonly noun: string
  readonly modifiers: 'member' | 'result'
  readonly remedies: Remedies
}

/** `depth`: how many lists of objects the members are in. */
function parseMembers(given: object, place: ActionPlace & MemberWords, depth = 0): DeclaredMembers {
  const members = Object.entries(given)
  const fields = members.flatMap(([name, value]) => {
    const report = prefixReport(`${place.one} '${name}'`, place.report)
    checkInputName(name, report)
    const fields = parseUnstoredField(name, value, { ...place, mayHaveObjects: true, report })
    return fields.map((field) => withMembers(field, { ...place, report }, depth + 1))
  })
  return { names: members.map(([name]) => name), fields }
}

/** The field, in a list of objects with its members. */
function withMembers(field: DeclaredField, place: ActionPlace & MemberWords, depth: number): DeclaredField {
  const { kind, item } = field.declared
  if (kind !== objectListKind) return field
  if (depth > maxObjectDepth) {
    place.report(`Lists of objects are at most ${maxObjectDepth} deep.`, 'Use fewer.')
    return field
  }
  const members = parseMembers(Object(item), { ...place, one: 'The member' }, depth)
  if (members.names.length === 0)
    place.report('Its objects must have a member.', 'Write: list({ name: text() }).')
  return { ...field, members }
}

interface ResultPlace extends ActionPlace {
  readonly operation: 'action' | 'query'
}

/** A file, or members; undefined after reporting that it is neither. */
function parseResult(given: object, { operation, ...place }: ResultPlace): DeclaredResult | undefined {
  const { report } = place
  const items = findItemsName(given)
  if (items) return parseItemsResult(items.name, { operation, ...place })
  const field = findFieldDeclaration(given)
  if (field) return parseFileResult(field, { operation, report })
  const members = parseMembers(given, { ...place, ...resultWords })
  checkResult(members, report)
  return { kind: 'members', members }
}

/** Items of a collection; undefined after reporting that it is none. */
function parseItemsResult(
  name: unknown,
  { operation, collections, report }: ResultPlace,
): ItemsResult | undefined {
  if (operation === 'action') {
    report("'result': Items are for queries.", 'Write a query, or return an item.')
    return undefined
  }
  const collection = String(name)
  const fault = findTargetFault(collection, collections)
  if (!fault) return { kind: 'items', collection }
  report(`'result': ${fault.reason}`, fault.suggestion)
  return undefined
}

function checkResult({ names }: DeclaredMembers, report: FaultReport): void {
  if (names.length === 0) report("'result' must have a member.", 'Write: result: { total: integer() }.')
  if (names.includes('links'))
    report("The result 'links': HAL shows links under this name.", 'Choose another name.')
}

/** Returns the declaration of a field that no column holds, or none after reporting its faults. */
export function parseUnstoredField(
  name: string,
  given: unknown,
  place: UnstoredPlace,
): readonly DeclaredField[] {
  const { collections, report } = place
  const { mayHaveObjects } = place
  const parsed = parseFieldDeclaration({ name, given, options: {}, mayHaveObjects }, report)
  return parsed.filter(({ declared, options, target }) => {
    const fault = findUnstoredFault(declared, options, place) ?? findTargetFault(target, collections)
    if (fault !== undefined) report(fault.reason, fault.suggestion)
    return fault === undefined
  })
}

interface UnstoredFault {
  readonly reason: string
  readonly suggestion?: string | undefined
}

/** The target of a reference must be a collection of the service. */
function findTargetFault(
  target: string | undefined,
  collections: readonly string[],
): UnstoredFault | undefined {
  if (target === undefined || collections.includes(target)) return undefined
  return { reason: `Unknown collection '${target}'.`, suggestion: didYouMean(target, collections) }
}

const inputWords: MemberWords = {
  one: 'The input',
  noun: 'An input',
  modifiers: 'member',
  remedies: {
    file: 'Declare it on the resource, and send the file to its own URI.',
    secret: 'Code cannot set passwords.',
    state: "Use choice(['…']).",
  },
}

const resultWords: MemberWords = {
  one: 'The result',
  noun: 'A result',
  modifiers: 'result',
  remedies: {
    file: 'Write: result: file({ … }), or declare it on the resource and return its item.',
    secret: 'Use text().',
    state: "Use choice(['…']).",
  },
}

function findRemedy({ shape, isHashed, choices }: FieldKind, { file, secret, state }: Remedies) {
  if (shape === 'file') return file
  if (isHashed) return secret
  return choices === 'transitions' ? state : undefined
}

function findUnstoredFault(
  declared: FieldDeclaration,
  options: Options,
  { noun, remedies, modifiers = 'member' }: UnstoredPlace,
): UnstoredFault | undefined {
  const { kind } = findFieldDeclaration(declared.item) ?? declared
  const suggestion = findRemedy(kind, remedies)
  if (suggestion !== undefined) return { reason: `${noun} cannot be ${kind.name}().`, suggestion }
  const modifier = findMisplacedModifier(declared, modifiers)
  if (modifier !== undefined) {
    return { reason: `.${modifier}() has no meaning for ${noun.toLowerCase()}.`, suggestion: 'Remove it.' }
  }
  const option = ['inverse', 'onDelete'].find((one) => options[one] !== undefined)
  if (option === undefined) return undefined
  return {
    reason: `The option '${option}' has no meaning for ${noun.toLowerCase()}.`,
    suggestion: 'Remove it.',
  }
}
