/**
 * Predicts whether the store would refuse to delete an item, so that no action is offered that would
 * fail. The rules are those of the store, which decides when the item is deleted.
 */

import { areLastAdmins } from '../../access/last-admin.ts'
import { IDENTITY, type ResourceModel } from '../../definition/model.ts'
import type { Row } from '../../store/row.ts'
import { maxCascadeRows } from '../../store/sql/delete-cascade.ts'
import type { Store } from '../../store/store.ts'
import type { DeletionReason } from '../../views/hypermedia-controls.ts'
import type { Unit } from '../context/service-context.ts'
import { refersTo } from '../write/deletion-cascade.ts'

/** Why the item cannot be deleted: items that stay refer to it, too many would be deleted with it, or no administrator would be left. */
export async function findDeletionBlock(
  { model, store }: Pick<Unit, 'model' | 'store'>,
  resource: ResourceModel,
  row: Row,
): Promise<DeletionReason | undefined> {
  const deleted = await findCascade(store, resource, String(row[IDENTITY]))
  if (!deleted) return 'too-many'
  const accounts = model.accounts && deleted.get(model.accounts.resource)
  if (accounts && (await areLastAdmins(model, store, [...accounts]))) return 'last-admin'
  for (const [target, identities] of deleted) {
    for (const reference of target.referencedBy) {
      const { ref, refs } = reference.field
      if ((ref ?? refs)?.onDelete !== 'restrict') continue
      const alsoDeleted = deleted.get(reference.resource) ?? new Set()
      // One more than are deleted, so that the result has one that stays, if there is any.
      const limit = alsoDeleted.size + 1
      const referring = await findReferring(store, reference, [...identities], limit)
      if (referring.some((identity) => !alsoDeleted.has(identity))) return 'referenced'
    }
  }
  return undefined
}

/** The identities deleted with an item, by resource. */
type Cascade = ReadonlyMap<ResourceModel, ReadonlySet<string>>

/** Undefined when the cascade exceeds its limit. */
async function findCascade(
  store: Store,
  root: ResourceModel,
  identity: string,
): Promise<Cascade | undefined> {
  const deleted = new Map<ResourceModel, Set<string>>([[root, new Set([identity])]])
  let room = maxCascadeRows
  let frontier: readonly (readonly [ResourceModel, readonly string[]])[] = [[root, [identity]]]
  while (frontier.length > 0) {
    const next: [ResourceModel, string[]][] = []
    for (const [target, identities] of frontier) {
      for (const reference of target.referencedBy) {
        if (reference.field.ref?.onDelete !== 'cascade') continue
        const known = deleted.get(reference.resource) ?? new Set()
        deleted.set(reference.resource, known)
        const found = await findReferring(store, reference, identities, room + known.size + 1)
        const added = found.filter((identity) => !known.has(identity))
        if (added.length > room) return undefined
        room -= added.length
        for (const identity of added) known.add(identity)
        if (added.length > 0) next.push([reference.resource, added])
      }
    }
    frontier = next
  }
  return deleted
}

/** The identities of the first rows that refer to one of the identities. */
async function findReferring(
  store: Store,
  { resource, field }: ResourceModel['referencedBy'][number],
  identities: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const condition = refersTo(field, identities)
  const order = [{ column: '_identity', descending: false }]
  const rows = await store.list({
    table: resource.name,
    condition,
    order,
    after: undefined,
    limit,
    evaluated: [],
    columns: ['_identity'],
  })
  return rows.map(([identity]) => String(identity))
}
