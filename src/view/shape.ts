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
  readonly buildLinks?: BuildLinks
}

/** The links of one record. */
export type BuildLinks = (row: Row, shape: Shape, holds: CheckResults) => readonly Link[]

/** Whether a condition that was asked holds on the record at hand. */
export type CheckResults = (condition: Condition) => boolean

/** All that the caller sees, or of that only the fields chosen. */
export function createFieldSelector(
  rights: Rights,
  chosen?: ReadonlySet<FieldModel>,
): FieldSelector {
  return chosen ? buildSelector(rights, chosen) : fullSelector(rights)
}

/** The rights of those nobody knows are the same object for every request. */
const fullSelector = memoizeByObject((rights: Rights) => buildSelector(rights, undefined))

function buildSelector(
  { resource, visibility }: Rights,
  chosen: ReadonlySet<FieldModel> | undefined,
): FieldSelector {
  const isChosen = (field: FieldModel) => chosen?.has(field) ?? true
  const conditions = [...visibility]
    .filter(([field]) => isChosen(field))
    .map(([, condition]) => condition)
  const rowDependent = conditions.filter(isRowDependent)
  const shown = (holds: CheckResults) => (field: FieldModel) =>
    isChosen(field) && (systemFields.has(field.name) || holds(visibility.get(field) ?? never))
  if (rowDependent.length > 0) {
    return {
      resource,
      conditions: rowDependent,
      shapeOf: (holds) => findShape(resource, shown(holds)),
    }
  }
  const shape = findShape(
    resource,
    shown(({ kind }) => kind === 'always'),
  )
  return { resource, conditions: [], shapeOf: () => shape }
}

/** Whether the answer depends on the record. */
export function isRowDependent({ kind }: Condition): boolean {
  return kind !== 'always' && kind !== 'never'
}

const maxShapes = 256
const shapes = new WeakMap<ResourceModel, Map<string, Shape>>()

function findShape(resource: ResourceModel, shown: (field: FieldModel) => boolean): Shape {
  const fields = resource.fields.filter(shown)
  const times = [...systemFields.values()].filter(shown)
  const name = [...times, ...fields].map((field) => field.index).join()
  let known = shapes.get(resource)
  if (!known) {
    known = new Map()
    shapes.set(resource, known)
  }
  let shape = known.get(name)
  if (!shape) {
    shape = Object.freeze({ resource, fields, times })
    // Clients choose fields, so that there may be more shapes than are worth keeping.
    if (known.size >= maxShapes) known.clear()
    known.set(name, shape)
  }
  return shape
}
