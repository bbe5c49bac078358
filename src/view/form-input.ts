/** The inputs of forms: which fields a request may carry, with what is known of their values. */

import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { FieldModel, JsonValue, Model, Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import type { Input } from './hypermedia.ts'
import type { RequiredValues } from './required-values.ts'
import type { CheckResults } from './shape.ts'
import { collectionUri } from './uri.ts'

/** Who fills in the form, and of which service. */
export interface FormContext {
  readonly model: Model
  readonly caller: Principal
  readonly rights: Rights
  readonly holds: CheckResults
}

/** What a form asks of a field besides the field's own. */
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

/** The one value that the request must carry, such as the state that a transition leads to. */
export function createFixedInput(field: FieldModel, value: JsonValue): Input {
  const choices = undefined
  return { field, required: true, value, fixed: true, choices, choicesUri: undefined }
}

export function isWritable({ rights, holds }: FormContext, field: FieldModel): boolean {
  const condition = rights.writability.get(field)
  return condition !== undefined && holds(condition)
}

export function isVisible({ rights, holds }: FormContext, field: FieldModel): boolean {
  const condition = rights.visibility.get(field)
  return condition !== undefined && holds(condition)
}

/** The value as its reader sees it; undefined where it is absent or hidden. */
export function shownValue(form: FormContext, field: FieldModel, row: Row): JsonValue | undefined {
  const stored = row[field.shownIndex]
  if (stored === null || stored === undefined || !isVisible(form, field)) return undefined
  return field.decode(stored)
}

/** A rule compares identities; where the target's ids are keys it cannot be told which are meant. */
function findChoices(
  field: FieldModel,
  required: RequiredValues,
): readonly JsonValue[] | undefined {
  const values = required.get(field.name)
  if (!values || field.ref?.resource.key) return undefined
  return values.filter(isPresent).map((stored) => field.decode(stored))
}

function isPresent(stored: Stored): stored is Exclude<Stored, null> {
  return stored !== null
}

function findChoicesUri({ model, caller }: FormContext, { ref }: FieldModel): string | undefined {
  if (!ref || !isListable(ref.resource, caller)) return undefined
  return collectionUri(model, ref.resource)
}

/** Whether the caller can list the collection at all. */
export function isListable(
  resource: NonNullable<FieldModel['ref']>['resource'],
  caller: Principal,
) {
  return resource.collectionMethods.has('GET') && rightsOf(resource, caller).read.kind !== 'never'
}
