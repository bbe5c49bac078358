/** The inputs of forms: which fields a request may carry, with what is known of their values. */

import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { FieldModel, JsonValue, Model, Stored } from '../declare/model.ts'
import type { Row } from '../store/store.ts'
import type { Demands } from './demand.ts'
import type { Input } from './hypermedia.ts'
import type { Holds } from './shape.ts'
import { collectionUri } from './uri.ts'

/** Who fills in the form, and of which service. */
export interface Filler {
  readonly model: Model
  readonly who: Principal
  readonly rights: Rights
  readonly holds: Holds
}

/** What a form asks of a field besides the field's own. */
export interface Asked {
  readonly required: boolean
  readonly value: JsonValue | undefined
  readonly demands: Demands
}

export function inputOf(filler: Filler, field: FieldModel, asked: Asked): Input {
  const choices = choicesFor(field, asked.demands)
  const only = choices?.length === 1 ? choices[0] : undefined
  return {
    field,
    required: asked.required || choices !== undefined,
    value: only ?? asked.value,
    fixed: only !== undefined,
    choices,
    choicesAt: choicesAt(filler, field),
  }
}

/** The one value that the request must carry, such as the state that a transition leads to. */
export function fixedInput(field: FieldModel, value: JsonValue): Input {
  const choices = undefined
  return { field, required: true, value, fixed: true, choices, choicesAt: undefined }
}

export function isWritable({ rights, holds }: Filler, field: FieldModel): boolean {
  const condition = rights.writing.get(field)
  return condition !== undefined && holds(condition)
}

export function isVisible({ rights, holds }: Filler, field: FieldModel): boolean {
  const condition = rights.sight.get(field)
  return condition !== undefined && holds(condition)
}

/** The value as its reader sees it; undefined where it is absent or hidden. */
export function shownValue(filler: Filler, field: FieldModel, row: Row): JsonValue | undefined {
  const stored = row[field.shownAt]
  if (stored === null || stored === undefined || !isVisible(filler, field)) return undefined
  return field.decode(stored)
}

/** A rule compares identities; where the target's ids are keys it cannot be told which are meant. */
function choicesFor(field: FieldModel, demands: Demands): readonly JsonValue[] | undefined {
  const values = demands.get(field.name)
  if (!values || field.ref?.resource.key) return undefined
  return values.filter(isPresent).map((stored) => field.decode(stored))
}

function isPresent(stored: Stored): stored is Exclude<Stored, null> {
  return stored !== null
}

function choicesAt({ model, who }: Filler, { ref }: FieldModel): string | undefined {
  if (!ref || !isListed(ref.resource, who)) return undefined
  return collectionUri(model, ref.resource)
}

/** Whether the caller can list the collection at all. */
export function isListed(resource: NonNullable<FieldModel['ref']>['resource'], who: Principal) {
  return resource.collectionMethods.has('GET') && rightsOf(resource, who).read.kind !== 'never'
}
