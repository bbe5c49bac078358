/** The action that gives an item the values of a former version again. */

import { VERSION } from '../../definition/model.ts'
import { shownValue } from '../../views/file-member.ts'
import { createFixedInput, isChangeable } from '../../views/form-input.ts'
import type { Action, Input } from '../../views/hypermedia-controls.ts'
import { type ActionContext, findOpenTransitions } from '../../views/item-actions.ts'
import { itemUri } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'

/** The name of the action. */
export const restoreName = 'restore'

/**
 * A PUT of the values that the caller sees in the version and may change. The state is part of it where
 * a transition leads there from the present one. Undefined where the caller may not update the item, and
 * for the present version.
 */
export function findRestoreAction(context: ActionContext, version: ItemView): Action | undefined {
  const { model, resource, rights, isTrue, row } = context
  if (!resource.itemMethods.has('PUT') || !isTrue(rights.update)) return undefined
  if (version.row[VERSION] === row[VERSION]) return undefined
  return {
    name: restoreName,
    title: 'Restore this version',
    method: 'PUT',
    target: itemUri(model, resource, row),
    contentType: 'application/json',
    inputs: [...valueInputs(context, version), ...stateInputs(context, version)],
  }
}

function valueInputs(context: ActionContext, { row, visibleFields }: ItemView): readonly Input[] {
  return visibleFields.fields.flatMap((field) => {
    const value = shownValue(context.resource, field, row)
    const isRestored = !field.state && isChangeable(context, field)
    return isRestored && value !== undefined ? [createFixedInput(field, value)] : []
  })
}

function stateInputs(context: ActionContext, { row, visibleFields }: ItemView): readonly Input[] {
  const open = findOpenTransitions(context).filter(
    ({ field, transition }) => visibleFields.fields.includes(field) && transition.to === row[field.index],
  )
  const byField = new Map(open.map(({ field, transition }) => [field, transition.to]))
  return [...byField].map(([field, to]) => createFixedInput(field, to))
}
