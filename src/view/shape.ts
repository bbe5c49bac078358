/**
 * The shape of a representation: which fields of a record are shown. Records of one resource that
 * show the same fields share one Shape, so that a format compiles its writer once for each.
 */

import type { Rights } from '../access/rights.ts'
import type { FieldModel, ResourceModel } from '../declare/model.ts'
import { systemFields } from '../declare/system-field.ts'
import { oncePer } from '../once.ts'
import { type Condition, never } from '../store/condition.ts'
import type { Linking } from './linking.ts'

export interface Shape {
  readonly resource: ResourceModel
  /** In declared order. */
  readonly fields: readonly FieldModel[]
  /** Of `createdAt` and `updatedAt`, in that order, those that are shown. */
  readonly times: readonly FieldModel[]
}

/** How the records of one answer are looked at: what to ask the store, and each record's shape. */
export interface Lens {
  readonly resource: ResourceModel
  /** What the shape of a record depends on; empty where all records have the same. */
  readonly asks: readonly Condition[]
  shapeOf(holds: Holds): Shape
  /** Set where the answer shows the links of each record. */
  readonly linksOf?: Linking['linksOf']
}

/** Whether a condition that was asked holds on the record at hand. */
export type Holds = (condition: Condition) => boolean

/** All that the caller sees, or of that only the fields chosen. */
export function lensOf(rights: Rights, chosen?: ReadonlySet<FieldModel>): Lens {
  return chosen ? makeLens(rights, chosen) : wholeLens(rights)
}

/** The rights of those nobody knows are the same object for every request. */
const wholeLens = oncePer((rights: Rights) => makeLens(rights, undefined))

function makeLens({ resource, sight }: Rights, chosen: ReadonlySet<FieldModel> | undefined): Lens {
  const isChosen = (field: FieldModel) => chosen?.has(field) ?? true
  const asks = [...sight].filter(([field]) => isChosen(field)).map(([, condition]) => condition)
  const doubtful = asks.filter(isDoubtful)
  const shown = (holds: Holds) => (field: FieldModel) =>
    isChosen(field) && (systemFields.has(field.name) || holds(sight.get(field) ?? never))
  if (doubtful.length > 0) {
    return { resource, asks: doubtful, shapeOf: (holds) => shapeWith(resource, shown(holds)) }
  }
  const shape = shapeWith(
    resource,
    shown(({ kind }) => kind === 'always'),
  )
  return { resource, asks: [], shapeOf: () => shape }
}

/** The same lens, for an answer that shows the links of each record too. */
export function linkedLens(lens: Lens, { asks, linksOf }: Linking): Lens {
  return { ...lens, asks: [...lens.asks, ...asks], linksOf }
}

/** Whether the answer depends on the record. */
export function isDoubtful({ kind }: Condition): boolean {
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
