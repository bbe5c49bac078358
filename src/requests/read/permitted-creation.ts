/** The action that creates an item in a collection, as far as the rules can be evaluated before there is content. */

import { FIRST_FIELD_INDEX, IDENTITY, type ResourceModel, type Stored } from '../../definition/model.ts'
import { createRightWithin, findCreateAction } from '../../views/create-action.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { dependsOnColumns } from '../../views/required-values.ts'
import type { SubCollectionParent } from '../../views/uri.ts'
import { isRowDependent } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'

/** The action; undefined where the caller can create nothing, with any content. */
export async function findPermittedCreation(
  context: Pick<RequestContext, 'unit' | 'caller' | 'method'>,
  resource: ResourceModel,
  parent: SubCollectionParent | undefined,
): Promise<Action | undefined> {
  const { unit, caller } = context
  const action = findCreateAction(unit.model, resource, caller, parent)
  if (!action || !parent) return action
  return (await isPermittedWithin(context, parent)) ? action : undefined
}

/** False where the rules depend on the parent alone and do not hold for it. */
async function isPermittedWithin(
  { unit, caller, method }: Pick<RequestContext, 'unit' | 'caller' | 'method'>,
  parent: SubCollectionParent,
): Promise<boolean> {
  const right = createRightWithin(parent, caller)
  // The parent that a POST creates is not stored yet.
  if (!isRowDependent(right) || method === 'POST') return true
  const { target, field: given } = parent.relation
  const others = target.fields.filter((field) => field !== given).map(({ name }) => name)
  if (dependsOnColumns(right, new Set([...others, '_identity', 'createdAt', 'updatedAt']))) return true
  const values = Array<Stored>(FIRST_FIELD_INDEX + target.fields.length).fill(null)
  values[given.index] = parent.row[IDENTITY] as string
  return unit.store.satisfies(target.name, values, right)
}
