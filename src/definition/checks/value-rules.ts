/**
 * Checks the rules that compare values, `where` and `exists`: the collection, fields and paths they
 * name exist, and both sides of each comparison have the same kind of value.
 */

import type { FaultReport } from '../definition-fault.ts'
import type { FieldModel, ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import { ruleInverses } from '../relations.ts'
import {
  type Constant,
  ITEM_ITSELF,
  isDynamicValue,
  maxPathSteps,
  type Rule,
  type RuleFields,
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
export function checkWhere(fields: RuleFields, context: RuleContext): void {
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
  for (const [path, value] of Object.entries(fields)) {
    const end = findPathEnd(target, splitPath(path), 'exists', context)
    if (end === undefined) continue
    if (path.includes('.') && isDynamicValue(value) && value.kind === 'its') {
      report(
        `exists: '${path}' is a path, and only a field of ${collection} itself can be compared with its('…').`,
        `Look into the other collection: exists('${end.resource.name}', { … }), with paths from there.`,
      )
    } else checkComparison({ rule: 'exists', name: path, end }, value, context)
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
  let resource: ResourceModel | undefined = start
  for (const step of steps.slice(0, -1)) {
    resource = resource && findNext(resource, step, { rule, path }, context)
  }
  const last = steps.at(-1) ?? ''
  if (resource === undefined || last === ITEM_ITSELF) return resource && { resource, field: undefined }
  if (ruleInverses(resource).some(({ name }) => name === last)) {
    reportInverse(rule, path, context)
    return undefined
  }
  const field = findField(resource, last, context)
  return field && { resource, field }
}

function reportInverse(rule: string, path: string, { report }: RuleContext): void {
  if (rule === 'exists') {
    report(
      `exists: The path '${path}' ends in an inverse, which leads to several items.`,
      `Name a field of them, such as '${path}.id'.`,
    )
  } else {
    report(
      `${rule}: The path '${path}' leads to several items, by an inverse.`,
      "Only the names in exists('…', { … }) can follow an inverse.",
    )
  }
}

/** Returns the resource to which the step leads, or undefined after reporting that it leads nowhere. */
function findNext(
  resource: ResourceModel,
  step: string,
  { rule, path }: { readonly rule: string; readonly path: string },
  context: RuleContext,
): ResourceModel | undefined {
  const inverses = ruleInverses(resource)
  const inverse = inverses.find(({ name }) => name === step)
  if (inverse && rule === 'exists') return inverse.target
  if (inverse) {
    reportInverse(rule, path, context)
    return undefined
  }
  const otherNames = rule === 'exists' ? inverses.map(({ name }) => name) : []
  const field = findField(resource, step, context, otherNames)
  // An unknown target is reported at the reference itself.
  if (field === undefined || field.ref) return field?.ref?.resource
  const reason = field.refs ? 'a set of references, which no rule can follow' : 'not a reference'
  context.report(`${rule}: '${step}' in the path '${path}' is ${reason}.`)
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
