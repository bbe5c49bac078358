/**
 * The shape of a representation: which fields of a record are shown. Records of one resource that
 * show the same fields share one Shape, so that a format compiles its writer once for each.
 */

import type { Rights } from '../access/rights.ts'
import type { FieldModel, ResourceModel } from '../declare/model.ts'
import { type Condition, never } from '../store/condition.ts'

export interface Shape {
  readonly resource: ResourceModel
  /** In declared order. */
  readonly fields: readonly FieldModel[]
}

/** How the records of one answer are looked at: what to ask the store, and each record's shape. */
export interface Lens {
  readonly resource: ResourceModel
  /** What the shape of a record depends on; empty where all records have the same. */
  readonly asks: readonly Condition[]
  shapeOf(holds: Holds): Shape
}

/** Whether a condition that was asked holds on the record at hand. */
export type Holds = (condition: Condition) => boolean

export function lensOf(resource: ResourceModel, { sight }: Rights): Lens {
  const asks = [...sight.values()].filter(isDoubtful)
  if (asks.length === 0) {
    const shape = shapeWith(resource, (field) => sight.get(field)?.kind === 'always')
    return { resource, asks, shapeOf: () => shape }
  }
  const shown = (holds: Holds) => (field: FieldModel) => holds(sight.get(field) ?? never)
  return { resource, asks, shapeOf: (holds) => shapeWith(resource, shown(holds)) }
}

/** Whether the answer depends on the record. */
export function isDoubtful({ kind }: Condition): boolean {
  return kind !== 'always' && kind !== 'never'
}

const shapes = new WeakMap<ResourceModel, Map<string, Shape>>()

function shapeWith(resource: ResourceModel, shown: (field: FieldModel) => boolean): Shape {
  const fields = resource.fields.filter(shown)
  const name = fields.map((field) => field.at).join()
  let known = shapes.get(resource)
  if (!known) {
    known = new Map()
    shapes.set(resource, known)
  }
  let shape = known.get(name)
  if (!shape) {
    shape = Object.freeze({ resource, fields })
    known.set(name, shape)
  }
  return shape
}
