/** Changes of several items of a list at once: what the page of the list offers, and what its form names. */

import type { Principal } from '../../access/principal.ts'
import { type Rights, rightsOf } from '../../access/rights.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import { never } from '../../store/condition.ts'

/** A change of each selected item. */
export type SelectionChange =
  | { readonly kind: 'delete' }
  | {
      readonly kind: 'set'
      readonly field: string
      readonly value: string
      /** The decimal sign of the page. */
      readonly decimal: string
    }
  | { readonly kind: 'transition'; readonly name: string; readonly field: string; readonly state: string }
  | { readonly kind: 'action'; readonly name: string }

/** The parameters of the form. */
export const selectionNames = {
  id: 'id',
  change: 'change',
  field: 'field',
  value: 'value',
  from: 'from',
} as const

/** The most items that one form changes. */
export const maxSelected = 200

export interface OfferedChanges {
  /** Changes by the value of their button. */
  readonly changes: ReadonlyMap<string, SelectionChange>
  /** The fields that the caller may set on some items. */
  readonly fields: readonly FieldModel[]
}

/** The changes that the caller may make to some items of the resource. The request for each item decides about that item. */
export function findOfferedChanges(resource: ResourceModel, caller: Principal): OfferedChanges {
  const rights = rightsOf(resource, caller)
  const mayPatch = resource.itemMethods.has('PATCH') && rights.update.kind !== 'never'
  const mayDelete = resource.itemMethods.has('DELETE') && rights.delete.kind !== 'never'
  const changes: [string, SelectionChange][] = [
    ...(mayPatch ? transitionsOf(rights) : []),
    ...actionsOf(rights),
    ...(mayDelete ? [['delete', { kind: 'delete' }] satisfies [string, SelectionChange]] : []),
  ]
  return { changes: new Map(changes), fields: mayPatch ? settableFields(rights) : [] }
}

function transitionsOf({ resource, transitions }: Rights): readonly [string, SelectionChange][] {
  return resource.fields.flatMap(({ name: field, state }) =>
    (state?.transitions ?? [])
      .filter((transition) => (transitions.get(transition) ?? never).kind !== 'never')
      .map(({ name, to }): [string, SelectionChange] => [
        `transition:${name}`,
        { kind: 'transition', name, field, state: to },
      ]),
  )
}

/** The actions on items that need no input. */
function actionsOf({ resource, actions }: Rights): readonly [string, SelectionChange][] {
  return (
    [...resource.actions.values()]
      .filter(
        (action) => action.on === 'item' && !action.isSafe && (actions.get(action) ?? never).kind !== 'never',
      )
      // A page cannot show several files.
      .filter(({ result }) => result?.kind !== 'file')
      .filter(({ input }) => input.fields.every((field) => !field.required || field.default !== undefined))
      .map(({ name }) => [`action:${name}`, { kind: 'action', name }])
  )
}

/** The fields with one short value that is not unique. */
function settableFields({ resource, writability }: Rights): readonly FieldModel[] {
  return resource.fields.filter(
    (field) =>
      field.kind.isEditedInCells &&
      field.kind.order !== 'instant' &&
      !field.unique &&
      !field.immutable &&
      field !== resource.keyField &&
      (writability.get(field) ?? never).kind !== 'never',
  )
}
