/**
 * Validates the value of a field against its JSON Schema, without coercion or defaults, and returns
 * all faults at once. The rule of a fault is the keyword of the schema.
 */

import { type ContentFault, maxFaults } from '../refusal.ts'
import { compileKindSchema, type FindViolations, type Violation } from './kind-schema.ts'
import { formatNumberAsDecimal } from './kinds/decimal.ts'
import type { FieldModel } from './model.ts'
import { compileUserSchema } from './user-schema.ts'
import { createValidationMessage } from './validation-message.ts'

export interface ValidatorOptions {
  readonly field: Pick<FieldModel, 'name' | 'kind' | 'schema' | 'scale'> & Partial<Pick<FieldModel, 'item'>>
  /** The message for a value of the right type and the wrong form. */
  readonly requirement: string
}

export type Validator = (value: unknown) => readonly ContentFault[]

/** Returns the validator of a field. The schema is compiled with the first value. */
export function createValidator({ field, requirement }: ValidatorOptions): Validator {
  const isJson = field.kind.shape === 'json'
  let findViolations: FindViolations | undefined
  return (value) => {
    if (value === null && !isJson) return [createNullFault(field.name)]
    findViolations ??= (isJson ? compileUserSchema : compileKindSchema)(field.schema)
    const found = findViolations(value)
    if (found.length === 0) return []
    const faults = found
      .slice(0, maxFaults)
      .map((violation) => createFault(violation, { field, requirement }))
    return removeRedundantFaults(faults)
  }
}

function createNullFault(name: string): ContentFault {
  const detail = 'Must not be null. Leave the field out instead.'
  return { pointer: `/${name}`, rule: 'type', detail }
}

function createFault(violation: Violation, { field, requirement }: ValidatorOptions): ContentFault {
  const { kind, schema } = field
  const { rule, detail } =
    numberForDecimal(violation, { field, requirement }) ??
    createValidationMessage(violation, { kind, schema, requirement })
  const faultKey = kind.reference === 'several' ? repetitionOf(violation) : memberOf(violation)
  return { pointer: `/${field.name}${violation.instancePath}${faultKey}`, rule, detail }
}

/** For a decimal that was sent as a number, the message shows the string to send. */
function numberForDecimal({ keyword, data }: Violation, { field, requirement }: ValidatorOptions) {
  const { scale } = field.item ?? field
  if (keyword !== 'type' || scale === undefined || typeof data !== 'number') return undefined
  const text = formatNumberAsDecimal(data, scale)
  const detail = text === undefined ? requirement : `Must be a decimal string: "${text}".`
  return { rule: keyword, detail }
}

/** A repetition in a set of references points to the repeated id. */
function repetitionOf({ keyword, params }: Violation): string {
  return keyword === 'uniqueItems' ? `/${params.j}` : ''
}

/** Faults of keywords about members point to the member. */
function memberOf({ params }: Violation): string {
  const member =
    params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName
  if (member === undefined) return ''
  return `/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/**
 * Keeps one fault for each place and rule. A value of the wrong type has no other fault, and a decimal
 * beyond its limits does not also violate its pattern.
 */
function removeRedundantFaults(faults: readonly ContentFault[]): readonly ContentFault[] {
  const pointersOf = (...rules: readonly string[]) =>
    new Set(faults.filter(({ rule }) => rules.includes(rule)).map(({ pointer }) => pointer))
  const mistyped = pointersOf('type')
  const beyond = pointersOf('minimum', 'maximum')
  const kept = new Map<string, ContentFault>()
  for (const fault of faults) {
    if (fault.rule === 'if') continue
    if (fault.rule !== 'type' && mistyped.has(fault.pointer)) continue
    if (fault.rule === 'pattern' && beyond.has(fault.pointer)) continue
    const faultKey = `${fault.rule} ${fault.pointer}`
    if (!kept.has(faultKey)) kept.set(faultKey, fault)
  }
  return [...kept.values()]
}
