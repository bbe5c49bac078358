/** The inputs of forms: the fields that a request may have, with their possible values. */

import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import { currentPassword } from '../definition/current-password.ts'
import type { FieldModel, JsonValue, Model, Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import { shownValue } from './file-member.ts'
import type { Input } from './hypermedia-controls.ts'
import type { RequiredValues } from './required-values.ts'
import { collectionUri } from './uri.ts'
import type { ConditionResult } from './visible-fields.ts'

/** The caller that fills in the form, and its rights. */
export interface FormContext {
  readonly model: Model
  readonly caller: Principal
  readonly rights: Rights
  readonly isTrue: ConditionResult
}

/** The requirements of a form on a field, besides the field's own schema. */
export interface InputOptions {
  readonly required: boolean
  readonly value: JsonValue | undefined
  readonly requiredValues: RequiredValues
}

export function createInput(form: FormContext, field: FieldModel, options: InputOptions): Input {
  const choices = findChoices(field, options.requiredValues)
  const only = choices?.length === 1 ? choices[0] : undefined
  return {
    field,
    required: options.required || choices !== undefined,
    value: only ?? options.value,
    fixed: only !== undefined,
    choices,
    choicesUri: findChoicesUri(form, field),
  }
}

/** An input with the only possible value, such as the target state of a transition. */
export function createFixedInput(field: FieldModel, value: JsonValue): Input {
  const choices = undefined
  return { field, required: true, value, fixed: true, choices, choicesUri: undefined }
}

/** An input that no rule restricts. */
export const unrestrictedInput = {
  value: undefined,
  fixed: false,
  choices: undefined,
  choicesUri: undefined,
} as const satisfies Partial<Input>

/** `currentPassword`, which changes of the own password, login or credentials require. */
export const currentPasswordInput: Input = { ...unrestrictedInput, field: currentPassword, required: false }

export function isWritable({ rights, isTrue }: FormContext, field: FieldModel): boolean {
  const condition = rights.writability.get(field)
  return condition !== undefined && isTrue(condition)
}

/** Whether the caller may change the field of an existing item. */
export function isChangeable(form: FormContext, field: FieldModel): boolean {
  return !field.immutable && isWritable(form, field)
}

export function isVisible({ rights, isTrue }: FormContext, field: FieldModel): boolean {
  const condition = rights.visibility.get(field)
  return condition !== undefined && isTrue(condition)
}

/** The value as the caller sees it; undefined if it is absent or hidden. */
export function visibleValue(form: FormContext, field: FieldModel, row: Row): JsonValue | undefined {
  return isVisible(form, field) ? shownValue(form.rights.resource, field, row) : undefined
}

/** Rules compare identities, so the values of a reference to a keyed resource are not its ids. */
function findChoices(field: FieldModel, required: RequiredValues): readonly JsonValue[] | undefined {
  const values = required.get(field.name)
  if (!values || field.ref?.resource.keyField) return undefined
  return values.filter(isPresent).map((stored) => field.decode(stored))
}

function isPresent(stored: Stored): stored is Exclude<Stored, null> {
  return stored !== null
}

function findChoicesUri({ model, caller }: FormContext, { ref, refs }: FieldModel): string | undefined {
  const target = (ref ?? refs)?.resource
  return target && isListable(target, caller) ? collectionUri(model, target) : undefined
}

/** Whether the caller may list the collection. */
export function isListable(resource: NonNullable<FieldModel['ref']>['resource'], caller: Principal) {
  return resource.collectionMethods.has('GET') && rightsOf(resource, caller).list.kind !== 'never'
}
