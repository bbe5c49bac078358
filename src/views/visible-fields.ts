/**
 * Which fields of a row a caller sees. Rows that show the same fields share one VisibleFields object,
 * so that a format compiles its writer once for each.
 */

import type { Rights } from '../access/rights.ts'
import { shownChange } from '../access/shown-change.ts'
import type { ChangePlace, DerivedModel, FieldModel, ResourceModel } from '../definition/model.ts'
import { createdAt, lastChange, updatedAt } from '../definition/system-fields.ts'
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
  /** The change whose version and time are those of the item. */
  readonly change: ChangePlace
  /** Where that is the last public change: the restricted fields that the caller sees of the item, shown or not. */
  readonly seen: readonly FieldModel[]
}

/** Chooses the visible fields of each row of a response. */
export interface FieldSelector {
  readonly resource: ResourceModel
  /** The conditions that the choice depends on; empty if all rows show the same fields. */
  readonly conditions: readonly Condition[]
  selectFields(isTrue: ConditionResult): VisibleFields
  /** Set when the response shows the links of each row. */
  readonly buildLinks?: BuildLinks
}

/** Builds the links of one row. */
export type BuildLinks = (row: Row, visibleFields: VisibleFields, isTrue: ConditionResult) => readonly Link[]

/** Whether an evaluated condition holds on the current row. */
export type ConditionResult = (condition: Condition) => boolean

/** Where items are shown: lists leave out derived fields that are not always shown, changes leave out all. */
export type ShownIn = 'item' | 'list' | 'change'

/** Selects all fields that the caller may see, or the chosen ones of them. */
export function createFieldSelector(
  rights: Rights,
  shownIn: ShownIn,
  chosen?: ReadonlySet<FieldModel>,
): FieldSelector {
  if (!chosen) return fullSelectors[shownIn](rights)
  const omitted = shownIn === 'change' ? derivedFields(rights) : new Set<FieldModel>()
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

function buildSelector(rights: Rights, isChosen: (field: FieldModel) => boolean): FieldSelector {
  const { resource, visibility } = rights
  const change = shownChange(rights)
  const restricted = change === lastChange ? [] : resource.fields.filter(({ visibleTo }) => visibleTo)
  const rowDependent = [...visibility]
    .filter(
      ([field, condition]) => (isChosen(field) || restricted.includes(field)) && isRowDependent(condition),
    )
    .map(([, condition]) => condition)
  const select = (isTrue: ConditionResult) => {
    const isVisible = (field: FieldModel) => isTrue(visibility.get(field) ?? never)
    const times = [createdAt, updatedAt].filter(isChosen)
    return findVisibleFields(resource, {
      shown: (field) => isChosen(field) && isVisible(field),
      times: times.map((field) => (field === updatedAt ? change.updatedAt : field)),
      change,
      seen: restricted.filter(isVisible),
    })
  }
  if (rowDependent.length > 0) return { resource, conditions: rowDependent, selectFields: select }
  const visibleFields = select(({ kind }) => kind === 'always')
  return { resource, conditions: [], selectFields: () => visibleFields }
}

/** Whether the result of the condition depends on the row. */
export function isRowDependent({ kind }: Condition): boolean {
  return kind !== 'always' && kind !== 'never'
}

const maxFieldSets = 256
const fieldSets = new WeakMap<ResourceModel, Map<string, VisibleFields>>()

interface FieldChoice extends Pick<VisibleFields, 'times' | 'change' | 'seen'> {
  shown(field: FieldModel): boolean
}

function findVisibleFields(
  resource: ResourceModel,
  { shown, times, change, seen }: FieldChoice,
): VisibleFields {
  const derived = resource.derived.filter(({ field }) => shown(field))
  const fields = [...resource.fields.filter(shown), ...derived.map(({ field }) => field)]
  const indexes = [[...times, ...fields], seen].map((some) => some.map(({ index }) => index).join())
  const name = [change.version, ...indexes].join(' ')
  let known = fieldSets.get(resource)
  if (!known) {
    known = new Map()
    fieldSets.set(resource, known)
  }
  let visibleFields = known.get(name)
  if (!visibleFields) {
    visibleFields = Object.freeze({ resource, fields, derived, times, change, seen })
    // Clients choose fields, so the number of sets must be bounded.
    if (known.size >= maxFieldSets) known.clear()
    known.set(name, visibleFields)
  }
  return visibleFields
}
