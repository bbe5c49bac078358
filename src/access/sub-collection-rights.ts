/**
 * Rights within a sub-collection. Listing it tells which item a reference names, and creating in it
 * sets the reference, so both need the right to the field besides the right to the row.
 */

import type { InverseRelation } from '../definition/model.ts'
import { isNested } from '../definition/nested-resources.ts'
import { all, type Condition, never } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { isOwnAccount, type Principal } from './principal.ts'
import { type Rights, rightsOf } from './rights.ts'

export interface SubCollectionRights {
  /** The rows that the caller may read and whose reference the caller sees. */
  readonly read: Condition
  /** The rows that the caller may create with a reference that the caller may set. */
  readonly create: Condition
}

/** Returns the rights of the caller on the items that an inverse leads to. */
export function subCollectionRights(relation: InverseRelation, caller: Principal): SubCollectionRights {
  const { target, field } = relation
  const rights = rightsOf(target, caller)
  const { create, writability } = rights
  // The service itself sets such a reference, to the account that creates the item.
  const settable = field.fromPrincipal ? [] : [writability.get(field) ?? never]
  const isAccount = caller.kind === 'account' || !field.fromPrincipal
  return {
    read: readableThrough(relation, rights),
    create: isAccount ? all([create, ...settable]) : never,
  }
}

/** Returns the rows of the inverse's target that the caller may read by it, from its rights on the target. */
export function readableThrough({ field }: InverseRelation, { read, visibility }: Rights): Condition {
  return all([read, visibility.get(field) ?? never])
}

/** Whether the caller may list the items that the inverse leads to. */
export function isListableThrough(relation: InverseRelation, caller: Principal): boolean {
  return (
    relation.target.collectionMethods.has('GET') &&
    subCollectionRights(relation, caller).read.kind !== 'never'
  )
}

/** Whether the item shows the inverse to the caller: an account shows its credentials to its owner and administrators. */
export function isShownBelow({ target, field }: InverseRelation, caller: Principal, row: Row): boolean {
  const isOfOwner = isNested(target) && field.fromPrincipal
  if (!isOfOwner || isOwnAccount(caller, row)) return true
  const { read } = rightsOf(target, caller)
  return read.kind !== 'never' && !comparesField(read, field.name)
}

function comparesField(condition: Condition, name: string): boolean {
  if (condition.kind === 'compare') return condition.path[0] === name
  return 'of' in condition && [condition.of].flat().some((one) => comparesField(one, name))
}
