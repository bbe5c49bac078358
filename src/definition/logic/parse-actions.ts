/** Reads the actions of a resource: their options, and the fields of their input. */

import { findMisplacedModifier } from '../checks/field-modifiers.ts'
import { checkInputName } from '../checks/names.ts'
import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { type FieldDeclaration, findFieldDeclaration } from '../field.ts'
import type { FieldKind } from '../field-kind.ts'
import type { ActionModel } from '../model.ts'
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
import { type DeclaredField, parseFieldDeclaration } from '../resource-declaration.ts'
import { nobody } from '../rule-functions.ts'
import { findActionOptions } from './action.ts'

/** An action whose options are valid; the model adds the models of its input. */
export interface DeclaredAction extends Omit<ActionModel, 'input'> {
  /** Names of all inputs, and the inputs without faults. */
  readonly names: readonly string[]
  readonly fields: readonly DeclaredField[]
}

/** Returns the actions; reports everything that is not valid. */
export function parseActions(
  given: unknown,
  collections: readonly string[],
  report: FaultReport,
): readonly DeclaredAction[] {
  if (given === undefined) return []
  if (!objectOption.accepts(given)) {
    report(
      `'actions' must be an object, not ${formatValue(given)}.`,
      'Write: actions: { close: action({ … }) }.',
    )
    return []
  }
  return Object.entries(given).flatMap(([name, value]) =>
    parseAction(name, value, { collections, report: prefixReport(`Action '${name}'`, report) }),
  )
}

export const actionOptionTable = {
  on: oneOf('item', 'collection'),
  input: objectOption,
  by: anyValue,
  background: booleanOption,
  run: required(functionOf<ActionModel['run']>(), 'Write: run(item, input, tools) { … }.'),
} satisfies OptionTable

interface ActionPlace {
  /** The names of all collections, which references can name. */
  readonly collections: readonly string[]
  readonly report: FaultReport
}

/** The place of a field that no column holds. */
interface UnstoredPlace extends ActionPlace {
  /** The subject of faults, such as `An input`. */
  readonly noun: string
  readonly remedies: Remedies
}

/** The remedies for kinds that only stored items have. */
interface Remedies {
  readonly file: string
  readonly secret: string
  readonly state: string
}

function parseAction(
  name: string,
  given: unknown,
  { collections, report }: ActionPlace,
): readonly DeclaredAction[] {
  const options = findActionOptions(given)
  if (options === undefined) {
    report(
      `Not an action: ${formatValue(given)}.`,
      'Write: action({ by: signedIn, run(item, input, tools) { … } }).',
    )
    return []
  }
  const valid = checkOptions(options, actionOptionTable, report)
  const { on, input, by, background } = valid
  const inputs = Object.entries(input ?? {})
  const names = inputs.map(([one]) => one)
  const fields = inputs.flatMap(([field, value]) => {
    const reportInput = prefixReport(`The input '${field}'`, report)
    checkInputName(field, reportInput)
    const place = { collections, noun: 'An input', remedies, report: reportInput }
    return parseUnstoredField(field, value, place)
  })
  const rule = parseOptionalRule(by, prefixReport("'by'", report)) ?? nobody
  if (!isComplete(valid, actionOptionTable)) return []
  const { run } = valid
  return [{ name, on: on ?? 'item', by: rule, background: background === true, run, names, fields }]
}

/** Returns the declaration of a field that no column holds, or none after reporting its faults. */
export function parseUnstoredField(
  name: string,
  given: unknown,
  place: UnstoredPlace,
): readonly DeclaredField[] {
  const { collections, report } = place
  const parsed = parseFieldDeclaration({ name, given, options: {} }, report)
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

/** The remedies for kinds that only items can have. */
const remedies: Remedies = {
  file: 'Declare it on the resource, and send the file to its own URI.',
  secret: 'Code cannot set passwords.',
  state: "Use choice(['…']).",
}

function findRemedy({ shape, isHashed, choices }: FieldKind, { file, secret, state }: Remedies) {
  if (shape === 'file') return file
  if (isHashed) return secret
  return choices === 'transitions' ? state : undefined
}

function findUnstoredFault(
  declared: FieldDeclaration,
  options: Options,
  { noun, remedies }: UnstoredPlace,
): UnstoredFault | undefined {
  const { kind } = findFieldDeclaration(declared.item) ?? declared
  const suggestion = findRemedy(kind, remedies)
  if (suggestion !== undefined) return { reason: `${noun} cannot be ${kind.name}().`, suggestion }
  const modifier = findMisplacedModifier(declared, 'member')
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
