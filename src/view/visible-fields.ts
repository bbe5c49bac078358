/**
 * Shapes: which fields of a row are shown to a caller. Rows that show the same fields share one
 * Shape object, so that a format compiles its writer once for each.
 */

import type { Rights } from '../access/rights.ts'
import type { DerivedModel, FieldModel, ResourceModel } from '../definition/model.ts'
import { systemFields } from '../definition/system-fields.ts'
import type { Link } from '../http/link.ts'
import { type Condition, never } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'

export interface VisibleFields {
  readonly resource: ResourceModel
  /** In declared order, derived fields last. */
  readonly fields: readonly FieldModel[]
  /** The derived fields among them. */
  readonly derived: readonly DerivedModel[]
  /** Those of `createdAt` and `updatedAt` that are shown, in this order. */
  readonly times: readonly FieldModel[]
}

/** Chooses the shape of each row of a response. */
export interface FieldSelector {
  readonly resource: ResourceModel
  /** The conditions that the shape depends on; empty if all rows have the same shape. */
  readonly conditions: readonly Condition[]
  shapeOf(isTrue: ConditionResult): VisibleFields
  /** Set when the response shows the links of each row. */
  readonly buildLinks?: BuildLinks
}

/** Builds the links of one row. */
export type BuildLinks = (row: Row, shape: VisibleFields, isTrue: ConditionResult) => readonly Link[]

/** Whether an evaluated condition holds on the current row. */
export type ConditionResult = (condition: Condition) => boolean

/** Where items are shown: lists leave out derived fields that are not always shown, changes leave out all. */
export type ShownIn = 'item' | 'list' | 'change'

/** Selects all fields that the caller may see, or the chosen ones of them. */
export function createFieldSelector(
  rights: Rights,
  place: ShownIn,
  chosen?: ReadonlySet<FieldModel>,
): FieldSelector {
  if (!chosen) return fullSelectors[place](rights)
  const omitted = place === 'change' ? derivedFields(rights) : new Set<FieldModel>()
  return buildSelector(rights, (field) => chosen.has(field) && !omitted.has(field))
}

/** Memoized: anonymous callers share one Rights object. */
const fullSelectors: Readonly<Record<ShownIn, (rights: Rights) => FieldSelector>> = {
  item: memoizeByObject((rights: Rights) => buildSelector(rights, () => true)),
  list: memoizeByObject((rights: Rights) => {
    const { derived } = rights.resource
    if (derived.length === 0) return fullSelectors.item(rights)
    const omitted = new Set(derived.filter((one) => !one.isAlwaysShown).map(({ field }) => field))
    return buildSelector(rights, (field) => !omitted.has(field))
  }),
  change: memoizeByObject((rights: Rights) => {
    const omitted = derivedFields(rights)
    if (omitted.size === 0) return fullSelectors.item(rights)
    return buildSelector(rights, (field) => !omitted.has(field))
  }),
}

function derivedFields({ resource }: Rights): ReadonlySet<FieldModel> {
  return new Set(resource.derived.map(({ field }) => field))
}

function buildSelector(
  { resource, visibility }: Rights,
  isChosen: (field: FieldModel) => boolean,
): FieldSelector {
  const conditions = [...visibility].filter(([field]) => isChosen(field)).map(([, condition]) => condition)
  const rowDependent = conditions.filter(isRowDependent)
  const shown = (isTrue: ConditionResult) => (field: FieldModel) =>
    isChosen(field) && (systemFields.has(field.name) || isTrue(visibility.get(field) ?? never))
  if (rowDependent.length > 0) {
    return {
      resource,
      conditions: rowDependent,
      shapeOf: (isTrue) => findShape(resource, shown(isTrue)),
    }
  }
  const shape = findShape(
    resource,
    shown(({ kind }) => kind === 'always'),
  )
  return { resource, conditions: [], shapeOf: () => shape }
}

/** Whether the result of the condition depends on the row. */
export function isRowDependent({ kind }: Condition): boolean {
  return kind !== 'always' && kind !== 'never'
}

const maxShapes = 256
const shapes = new WeakMap<ResourceModel, Map<string, VisibleFields>>()

function findShape(resource: ResourceModel, shown: (field: FieldModel) => boolean): VisibleFields {
  const derived = resource.derived.filter(({ field }) => shown(field))
  const fields = [...resource.fields.filter(shown), ...derived.map(({ field }) => field)]
  const times = [...systemFields.values()].filter(shown)
  const name = [...times, ...fields].map((field) => field.index).join()
  let known = shapes.get(resource)
  if (!known) {
    known = new Map()
    shapes.set(resource, known)
  }
  let shape = known.get(name)
  if (!shape) {
    shape = Object.freeze({ resource, fields, derived, times })
    // Clients choose fields, so the number of shapes must be bounded.
    if (known.size >= maxShapes) known.clear()
    known.set(name, shape)
  }
  return shape
}
