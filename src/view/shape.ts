/**
 * The shape of a representation: which fields of a record are shown. Records of one resource that
 * show the same fields share one Shape, so that a format compiles its writer once for each.
 */

import type { Rights } from '../access/rights.ts'
import type { FieldModel, ResourceModel } from '../definition/model.ts'
import { systemFields } from '../definition/system-fields.ts'
import type { Link } from '../http/link.ts'
import { type Condition, never } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'

export interface Shape {
  readonly resource: ResourceModel
  /** In declared order. */
  readonly fields: readonly FieldModel[]
  /** Of `createdAt` and `updatedAt`, in that order, those that are shown. */
  readonly times: readonly FieldModel[]
}

/** How the records of one answer are looked at: what to ask the store, and each record's shape. */
export interface FieldSelector {
  readonly resource: ResourceModel
  /** What the shape of a record depends on; empty where all records have the same. */
  readonly conditions: readonly Condition[]
  shapeOf(holds: CheckResults): Shape
  /** Set where the answer shows the links of each record. */
  readonly linksOf?: LinksOf
}

/** The links of one record. */
export type LinksOf = (row: Row, shape: Shape, holds: CheckResults) => readonly Link[]

/** Whether a condition that was asked holds on the record at hand. */
export type CheckResults = (condition: Condition) => boolean

/** All that the caller sees, or of that only the fields chosen. */
export function fieldSelector(rights: Rights, chosen?: ReadonlySet<FieldModel>): FieldSelector {
  return chosen ? createSelector(rights, chosen) : fullSelector(rights)
}

/** The rights of those nobody knows are the same object for every request. */
const fullSelector = memoizeByObject((rights: Rights) => createSelector(rights, undefined))

function createSelector(
  { resource, visibility: sight }: Rights,
  chosen: ReadonlySet<FieldModel> | undefined,
): FieldSelector {
  const isChosen = (field: FieldModel) => chosen?.has(field) ?? true
  const conditions = [...sight]
    .filter(([field]) => isChosen(field))
    .map(([, condition]) => condition)
  const rowDependent = conditions.filter(isRowDependent)
  const shown = (holds: CheckResults) => (field: FieldModel) =>
    isChosen(field) && (systemFields.has(field.name) || holds(sight.get(field) ?? never))
  if (rowDependent.length > 0) {
    return {
      resource,
      conditions: rowDependent,
      shapeOf: (holds) => shapeWith(resource, shown(holds)),
    }
  }
  const shape = shapeWith(
    resource,
    shown(({ kind }) => kind === 'always'),
  )
  return { resource, conditions: [], shapeOf: () => shape }
}

/** Whether the answer depends on the record. */
export function isRowDependent({ kind }: Condition): boolean {
  return kind !== 'always' && kind !== 'never'
}

const SHAPES_KEPT = 256
const shapes = new WeakMap<ResourceModel, Map<string, Shape>>()

function shapeWith(resource: ResourceModel, shown: (field: FieldModel) => boolean): Shape {
  const fields = resource.fields.filter(shown)
  const times = [...systemFields.values()].filter(shown)
  const name = [...times, ...fields].map((field) => field.at).join()
  let known = shapes.get(resource)
  if (!known) {
    known = new Map()
    shapes.set(resource, known)
  }
  let shape = known.get(name)
  if (!shape) {
    shape = Object.freeze({ resource, fields, times })
    // Clients choose fields, so that there may be more shapes than are worth keeping.
    if (known.size >= SHAPES_KEPT) known.clear()
    known.set(name, shape)
  }
  return shape
}
