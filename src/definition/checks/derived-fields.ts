/** Checks the option `derived` of a resource, and creates the models of its derived fields. */

import { createFieldModel, type ValidatedField } from '../create-field-model.ts'
import type { FaultReport } from '../definition-fault.ts'
import { type ComputeContext, type DerivedDeclaration, findDerivedDeclaration } from '../derived.ts'
import { aggregatesOf, createDerivedField } from '../derived-field.ts'
import type { FieldKind } from '../field-kind.ts'
import { kindNames } from '../kinds/field-kinds.ts'
import {
  type AggregateDerivedModel,
  type ComputedModel,
  type DerivedModel,
  type FieldModel,
  type InverseRelation,
  type JsonValue,
  type ResourceModel,
  rowWidth,
} from '../model.ts'
import { booleanOption, checkOptions, formatValue } from '../option-table.ts'
import { parseOptionalRule } from '../parse-rules.ts'
import { parseFieldDeclaration } from '../resource-declaration.ts'
import { isDynamicValue, type Rule, type RuleValue, type WhereRule } from '../rule.ts'
import { systemFields } from '../system-fields.ts'
import { type CheckContext, findField, findInverse } from './check-context.ts'
import { checkTexts, findMisplacedModifier } from './field-modifiers.ts'
import { checkFieldName } from './names.ts'
import { checkWhere } from './value-rules.ts'

/** Fills `derived` of the model, after references are linked; reports faults with the name of the field. */
export function linkDerived(resource: ResourceModel, context: CheckContext): void {
  const given = context.declarations.get(resource.name)?.options.derived ?? {}
  for (const [name, value] of Object.entries(given)) {
    const report = context.faults.at(resource.name, name)
    checkName(resource, name, Object.keys(given), report)
    const declared = findDerivedDeclaration(value)
    if (declared === undefined) {
      report(
        `Not a derived field: ${formatValue(value)}.`,
        "Declare it with count('…'), sum('…', '…') or computed(…).",
      )
      continue
    }
    const index = rowWidth(resource) + resource.derived.length
    const model = createModel({ resource, name, index, report, context }, declared)
    // The models are not frozen yet.
    if (model) (resource.derived as DerivedModel[]).push(withTexts(model, declared, report))
  }
}

/** The texts of the derived field win over those of the field that describes a computed value. */
function withTexts(
  model: DerivedModel,
  declared: Pick<DerivedDeclaration, 'label' | 'help'>,
  report: FaultReport,
): DerivedModel {
  checkTexts(declared, report)
  const { field } = model
  const label = (declared.label?.value as string | undefined) ?? field.label
  const help = (declared.help?.value as string | undefined) ?? field.help
  return { ...model, field: { ...field, label, help } }
}

function checkName(
  resource: ResourceModel,
  name: string,
  names: readonly string[],
  report: FaultReport,
): void {
  checkFieldName(name, [...names, ...resource.fieldByName.keys()], report)
  const transitions = resource.fields.flatMap(({ state }) => state?.transitions ?? [])
  const taken = resource.fieldByName.has(name)
    ? 'a field'
    : resource.relations.has(name)
      ? 'an inverse'
      : transitions.some((transition) => transition.name === name)
        ? 'a transition'
        : undefined
  if (taken !== undefined) report(`${resource.name} has ${taken} of this name.`, 'Choose another name.')
}

interface DerivedContext {
  readonly resource: ResourceModel
  readonly name: string
  readonly index: number
  readonly report: FaultReport
  readonly context: CheckContext
}

function createModel(derivedContext: DerivedContext, declared: DerivedDeclaration): DerivedModel | undefined {
  return declared.kind === 'computed'
    ? createComputed(derivedContext, declared)
    : createAggregate(derivedContext, declared)
}

type Declared<Kind> = Extract<DerivedDeclaration, { readonly kind: Kind }>

function createAggregate(
  derivedContext: DerivedContext,
  { operation, inverse: given, field, rule: givenRule, isAlwaysShown }: Declared<'aggregate'>,
): AggregateDerivedModel | undefined {
  const { context, report } = derivedContext
  const inverse = findInverse(derivedContext.resource, given, { ...context, report })
  if (!inverse) return undefined
  const source = operation === 'count' ? undefined : findSource(derivedContext, inverse, field)
  if (operation !== 'count' && (!source || !checkAggregable(operation, source, derivedContext.report)))
    return undefined
  const rule = findCountedRule(derivedContext, inverse, givenRule)
  const { name, index } = derivedContext
  const derived = createDerivedField({ name, index, operation, source, isAlwaysShown })
  return { kind: 'aggregate', field: derived, isAlwaysShown, operation, inverse, source, rule }
}

/** The field of the other items. Derived fields are refused, so that none depends on itself. */
function findSource(
  derivedContext: DerivedContext,
  inverse: InverseRelation,
  given: unknown,
): FieldModel | undefined {
  const { context, report } = derivedContext
  const name = String(given)
  const system = systemFields.get(name)
  if (system) return system
  if (isDerivedName(inverse.target, name, context)) {
    reportDependence(inverse.target, name, report)
    return undefined
  }
  return findField(inverse.target, name, { declarations: context.declarations, report })
}

function isDerivedName(
  { name: resource }: ResourceModel,
  name: string,
  { declarations }: CheckContext,
): boolean {
  return Object.hasOwn(declarations.get(resource)?.options.derived ?? {}, name)
}

function reportDependence(resource: ResourceModel, name: string, report: FaultReport): void {
  report(
    `'${name}' of ${resource.name} is a derived field. A derived field depends on stored fields only, so that none is circular.`,
    'Name a stored field.',
  )
}

function checkAggregable(operation: string, { name, kind }: FieldModel, report: FaultReport): boolean {
  const isFitting = (kind: FieldKind) => aggregatesOf(kind).some((one) => one === operation)
  if (isFitting(kind)) return true
  const fitting = kindNames(isFitting)
  report(`'${name}' is ${kind.name}().`, `${operation} needs a field of the kinds ${fitting}.`)
  return false
}

/** Only `where` with fields of the counted items, whose visibility can be checked for each caller. */
function findCountedRule(
  { report, context }: DerivedContext,
  { target }: InverseRelation,
  given: unknown,
): WhereRule | undefined {
  const rule = parseOptionalRule(given, report)
  if (!rule) return undefined
  if (rule.kind !== 'where') {
    report('Only where({ … }) can choose the items.', "Write it like where({ status: 'open' }).")
    return undefined
  }
  const { fields } = rule
  const path = Object.keys(fields).find((name) => name.includes('.'))
  const own = Object.keys(fields).find((name) => isOwnValue(fields[name] as RuleValue))
  if (path !== undefined) report(`'${path}' is a path.`, `Name a field of ${target.name}.`)
  else if (own !== undefined) report(`'${own}' is compared with its(…).`, 'Compare it with a constant.')
  else checkWhere(fields, { ...context, resource: target, report })
  return rule
}

function isOwnValue(value: RuleValue): boolean {
  return isDynamicValue(value) && value.kind === 'its'
}

const computedOptions = { always: booleanOption }

function createComputed(
  derivedContext: DerivedContext,
  { value, dependencies: given, compute, options, isAlwaysShown }: Declared<'computed'>,
): ComputedModel | undefined {
  const { resource, name, index, report } = derivedContext
  const { always = false } = checkOptions(options, computedOptions, report)
  const [declaration] = parseFieldDeclaration({ name, given: value, options: {} }, report)
  const names = Array.isArray(given) ? given.map(String) : []
  if (names.length === 0) report('A computed field needs the names of the fields it is computed from.')
  if (typeof compute !== 'function') report(`Not a function: ${formatValue(compute)}.`)
  const found = names.map((one) => findDependency(derivedContext, one))
  if (!declaration || typeof compute !== 'function' || found.some((one) => one === undefined))
    return undefined
  const { kind } = declaration.declared
  if (kind.reference === 'one' || kind.isHashed || kind.choices === 'transitions') {
    report(`A computed field cannot be of the kind ${kind.name}.`)
    return undefined
  }
  const modifier = findMisplacedModifier(declaration.declared, 'computed')
  if (modifier !== undefined) report(`.${modifier}() has no meaning for a computed field.`, 'Remove it.')
  const findTarget = () => resource
  const described = createFieldModel(declaration, { index, outputIndex: index, findTarget, report })
  const dependencies = found.filter((one) => one !== undefined)
  const visibleTo = allRules(dependencies.flatMap((field) => field.visibleTo ?? []))
  return {
    kind: 'computed',
    field: { ...described.field, required: false, readOnly: true, filterable: false, visibleTo },
    isAlwaysShown: isAlwaysShown || always,
    dependencies,
    compute: checkedFunction(`${resource.name}.${name}`, described, compute as ComputeFunction),
  }
}

/** Callers who see all dependencies see the value. */
function allRules(rules: readonly Rule[]): Rule | undefined {
  return rules.length < 2 ? rules[0] : { kind: 'all', of: rules }
}

type ComputeFunction = (values: Readonly<Record<string, JsonValue>>, context: ComputeContext) => unknown

function checkedFunction(
  name: string,
  { field, validate }: ValidatedField,
  compute: ComputeFunction,
): ComputedModel['compute'] {
  return (values, now) => {
    const value = callFunction(name, () => compute(values, { now }))
    if (value === undefined || value === null) return null
    const [fault] = validate(value)
    if (fault) throw new Error(`The computed field ${name} returned ${formatValue(value)}. ${fault.detail}`)
    return field.encode(value as JsonValue)
  }
}

function callFunction(name: string, call: () => unknown): unknown {
  try {
    return call()
  } catch (cause) {
    throw new Error(`The computed field ${name} failed`, { cause })
  }
}

function findDependency(derivedContext: DerivedContext, name: string): FieldModel | undefined {
  const { resource, report, context } = derivedContext
  if (isDerivedName(resource, name, context)) {
    reportDependence(resource, name, report)
    return undefined
  }
  const field =
    systemFields.get(name) ?? findField(resource, name, { declarations: context.declarations, report })
  if (!field?.writeOnly) return field
  report(`'${name}' is never shown.`, 'Compute the field from others.')
  return undefined
}
