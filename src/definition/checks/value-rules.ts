/**
 * Checks the rules that compare values, `where` and `exists`: the collection, fields and paths they
 * name exist, and both sides of each comparison have the same kind of value.
 */

import type { FaultReport } from '../definition-fault.ts'
import type { FieldModel, ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import {
  type Constant,
  ITEM_ITSELF,
  isDynamicValue,
  maxPathSteps,
  type Rule,
  type RuleValue,
  splitPath,
} from '../rule.ts'
import { type CheckContext, findField } from './check-context.ts'

export interface RuleContext extends CheckContext {
  /** The resource whose items the rule judges. */
  readonly resource: ResourceModel
  readonly report: FaultReport
}

/** Reports a rule or value that needs accounts in a service without them. */
export function checkAccountsDeclared(name: string, { accounts, report }: RuleContext): void {
  if (accounts !== undefined) return
  report(
    `The rule ${name} needs accounts, but the service declares none.`,
    "Add accounts: { resource: 'users', login: 'email', password: 'password' }.",
  )
}

/** Reports the faults of `where`. */
export function checkWhere(fields: Readonly<Record<string, RuleValue>>, context: RuleContext): void {
  for (const [path, value] of Object.entries(fields)) {
    const end = findPathEnd(context.resource, splitPath(path), 'where', context)
    if (end) checkComparison({ rule: 'where', name: path, end }, value, context)
  }
}

/** Reports the faults of `exists`. */
export function checkExists(
  { collection, fields }: Extract<Rule, { kind: 'exists' }>,
  context: RuleContext,
): void {
  const { models, report } = context
  const declared = [...models.values()].filter((one) => one.declared)
  const target = declared.find(({ name }) => name === collection)
  if (target === undefined) {
    const names = declared.map(({ name }) => name)
    report(`exists: Unknown collection '${collection}'.`, didYouMean(collection, names))
    return
  }
  for (const [name, value] of Object.entries(fields)) {
    if (name.includes('.')) {
      report(
        `exists: '${name}' is a path. Only fields of ${collection} can be named here.`,
        "A path from the item that the rule judges is a value: its('…').",
      )
      continue
    }
    const end = findPathEnd(target, [name], 'exists', context)
    if (end) checkComparison({ rule: 'exists', name, end }, value, context)
  }
}

/** The end of a path: a field, or (`id`) the record itself. */
interface PathEnd {
  readonly resource: ResourceModel
  readonly field: FieldModel | undefined
}

/** Returns the end of the path, or undefined after reporting a step that leads nowhere. */
function findPathEnd(
  start: ResourceModel,
  steps: readonly string[],
  rule: string,
  context: RuleContext,
): PathEnd | undefined {
  const path = steps.join('.')
  if (steps.length > maxPathSteps) {
    context.report(
      `${rule}: The path '${path}' has ${steps.length} steps. A path has at most ${maxPathSteps}.`,
      'Add a reference that makes the path shorter.',
    )
    return undefined
  }
  let resource = start
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1
    if (isLast && step === ITEM_ITSELF) return { resource, field: undefined }
    const field = findField(resource, step, context)
    if (field === undefined || isLast) return field && { resource, field }
    if (field.ref === undefined) {
      const reason = field.refs ? 'a set of references, which no rule can follow' : 'not a reference'
      context.report(`${rule}: '${step}' in the path '${path}' is ${reason}.`)
      return undefined
    }
    // An unknown target is reported at the reference itself.
    if (field.ref.resource === undefined) return undefined
    resource = field.ref.resource
  }
  return undefined
}

/** One side of a comparison, under the name that the definition has for it. */
interface ComparedSide {
  readonly rule: string
  readonly name: string
  readonly end: PathEnd
}

function checkComparison(side: ComparedSide, value: RuleValue, context: RuleContext): void {
  if (!checkComparable(side, context)) return
  if (!isDynamicValue(value)) checkConstants(side, [value].flat() as readonly Constant[], context)
  else {
    const other = findOtherSide(side, value, context)
    if (other) checkSameKind(side, other, context)
  }
}

/** The side of a value that is no constant; undefined after reporting that there is none. */
function findOtherSide(
  { rule }: ComparedSide,
  value: Exclude<RuleValue, Constant | readonly Constant[]>,
  context: RuleContext,
): ComparedSide | undefined {
  const accounts = context.accounts?.resource
  switch (value.kind) {
    case 'caller':
      checkAccountsDeclared('caller', context)
      return accounts && { rule, name: 'caller', end: { resource: accounts, field: undefined } }
    case 'caller-field': {
      checkAccountsDeclared('callerField', context)
      const field = accounts && findField(accounts, value.name, context)
      const side = field && { rule, name: value.name, end: { resource: accounts, field } }
      return side && checkComparable(side, context) ? side : undefined
    }
    case 'its': {
      const end = findPathEnd(context.resource, value.path, 'its', context)
      const side = end && { rule, name: value.path.join('.'), end }
      return side && checkComparable(side, context) ? side : undefined
    }
  }
}

function checkComparable({ rule, name, end: { field } }: ComparedSide, { report }: RuleContext) {
  if (field === undefined || !(field.kind.order === 'none' || field.writeOnly)) return true
  const kind = field.writeOnly ? 'write-only' : `${field.kind.name}()`
  report(`${rule} cannot compare '${name}', which is ${kind}.`)
  return false
}

function checkConstants(
  { rule, name, end: { field, resource } }: ComparedSide,
  constants: readonly Constant[],
  { report }: RuleContext,
): void {
  if (field === undefined || field.ref !== undefined) {
    report(
      `${rule} cannot compare '${name}' with a constant, because it is ${field ? 'ref()' : 'an item'}.`,
      "Compare it with caller, callerField('…') or its('…').",
    )
    return
  }
  for (const value of constants) {
    const [fault] = resource.validate({ [field.name]: value })
    if (fault === undefined) continue
    const choices = (field.schema.enum ?? []) as readonly string[]
    report(
      `${rule}: '${value}' is not a valid value of '${name}'. ${fault.detail}`,
      didYouMean(String(value), choices),
    )
  }
}

function checkSameKind(side: ComparedSide, other: ComparedSide, { report }: RuleContext): void {
  const [left, right] = [kindOf(side.end), kindOf(other.end)]
  if (left.same === right.same) return
  report(`${side.rule} cannot compare '${side.name}' (${left.shown}) with '${other.name}' (${right.shown}).`)
}

/** Ends with the same `same` can be compared. */
function kindOf({ resource, field }: PathEnd): { readonly same: string; readonly shown: string } {
  const target = field === undefined ? resource : field.ref?.resource
  if (field === undefined || field.ref !== undefined) {
    const shown = `an item of ${target?.name}`
    return { same: shown, shown }
  }
  const { family, name } = field.kind
  return { same: `${family} ${field.scale}`, shown: `${name}()` }
}
