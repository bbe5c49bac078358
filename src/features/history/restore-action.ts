/** The action that gives an item the values of a former version again. */

import type { FieldModel, JsonValue } from '../../definition/model.ts'
import { formerValue } from '../../views/file-member.ts'
import { createFixedInput, isChangeable, isVisible } from '../../views/form-input.ts'
import type { Action, Input } from '../../views/hypermedia-controls.ts'
import { type ActionContext, findOpenTransitions } from '../../views/item-actions.ts'
import { idOf, itemUri } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'

/**
 * A PUT of the values that the caller sees in the version and may change. The state is part of it where
 * a transition leads there from the present one. Undefined where the caller may not update the item, and
 * where the PUT would change nothing that the caller sees: a later version that it does not see does not show.
 */
export function findRestoreAction(context: ActionContext, version: ItemView): Action | undefined {
  const { model, resource, rights, isTrue, row } = context
  if (!resource.itemMethods.has('PUT') || !isTrue(rights.update)) return undefined
  const inputs = stateInputs(context, version)
  if (inputs.length === 0 && !changesValues(context, version)) return undefined
  return {
    name: 'restore',
    title: 'Restore this version',
    method: 'PUT',
    target: itemUri(model, resource, row),
    contentType: 'application/json',
    isWhole: true,
    inputs: [...valueInputs(context, version), ...inputs],
  }
}

/** A PUT removes the values that it does not name, so absent ones count. */
function changesValues(context: ActionContext, version: ItemView): boolean {
  return restoredFields(context).some((field) => {
    const values = [valueInVersion(context, field, version), presentValue(context, field)]
    const [former, present] = values.map((value) => JSON.stringify(value))
    return former !== present
  })
}

function valueInputs(context: ActionContext, version: ItemView): readonly Input[] {
  return restoredFields(context).flatMap((field) => {
    const value = valueInVersion(context, field, version)
    return value === undefined ? [] : [createFixedInput(field, value)]
  })
}

function restoredFields(context: ActionContext): readonly FieldModel[] {
  return context.resource.fields.filter((field) => !field.state && isChangeable(context, field))
}

/** The value as the caller sees it in the version; undefined if it is absent or hidden. */
function valueInVersion(
  { resource, row: present }: ActionContext,
  field: FieldModel,
  { row, visibleFields }: ItemView,
): JsonValue | undefined {
  if (!visibleFields.fields.includes(field)) return undefined
  return formerValue(resource, field, { row, id: idOf(resource, present) })
}

/** The value that the item has now, as the caller would see it in a version. */
function presentValue(context: ActionContext, field: FieldModel): JsonValue | undefined {
  const { resource, row } = context
  return isVisible(context, field)
    ? formerValue(resource, field, { row, id: idOf(resource, row) })
    : undefined
}

function stateInputs(context: ActionContext, { row, visibleFields }: ItemView): readonly Input[] {
  const isFormer = ({ index }: FieldModel, state: string) =>
    state === row[index] && state !== context.row[index]
  const open = findOpenTransitions(context).filter(
    ({ field, transition }) => visibleFields.fields.includes(field) && isFormer(field, transition.to),
  )
  const byField = new Map(open.map(({ field, transition }) => [field, transition.to]))
  return [...byField].map(([field, to]) => createFixedInput(field, to))
}
