/**
 * Whether deleting an item would be refused because others refer to it, or no administrator were left. The store decides when it
 * is deleted; this only looks ahead, by the same rules, so that nothing is offered that is refused.
 */

import { areLastAdmins } from '../access/last-admin.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { IDENTITY, type ResourceModel, type Stored } from '../definition/model.ts'
import type { Condition } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { maxCascadeRows } from '../store/sql/delete-cascade.ts'
import { noText, positionOf } from '../store/sql/row-text-sql.ts'
import type { Store } from '../store/store.ts'

export async function isDeletionBlocked(
  { model, store }: Pick<ServiceContext, 'model' | 'store'>,
  resource: ResourceModel,
  row: Row,
): Promise<boolean> {
  const going = await cascade(store, resource, String(row[IDENTITY]))
  if (!going) return true
  const accounts = model.accounts && going.get(model.accounts.resource)
  if (accounts && (await areLastAdmins(model, store, [...accounts]))) return true
  for (const [target, identities] of going) {
    for (const reference of target.referencedBy) {
      if (reference.field.ref?.onDelete !== 'restrict') continue
      const staying = going.get(reference.resource) ?? new Set()
      // One more than go, so that one that stays is among them if there is any.
      const holders = await referring(store, reference, [...identities], staying.size + 1)
      if (holders.some((identity) => !staying.has(identity))) return true
    }
  }
  return false
}

type Going = ReadonlyMap<ResourceModel, ReadonlySet<string>>

/** Everything that would go along, by resource; undefined past the limit. */
async function cascade(
  store: Store,
  root: ResourceModel,
  identity: string,
): Promise<Going | undefined> {
  const going = new Map<ResourceModel, Set<string>>([[root, new Set([identity])]])
  let room = maxCascadeRows
  let frontier: readonly (readonly [ResourceModel, readonly string[]])[] = [[root, [identity]]]
  while (frontier.length > 0) {
    const next: [ResourceModel, string[]][] = []
    for (const [target, identities] of frontier) {
      for (const reference of target.referencedBy) {
        if (reference.field.ref?.onDelete !== 'cascade') continue
        const seen = going.get(reference.resource) ?? new Set()
        going.set(reference.resource, seen)
        const found = await referring(store, reference, identities, room + seen.size + 1)
        const fresh = found.filter((one) => !seen.has(one))
        if (fresh.length > room) return undefined
        room -= fresh.length
        for (const one of fresh) seen.add(one)
        if (fresh.length > 0) next.push([reference.resource, fresh])
      }
    }
    frontier = next
  }
  return going
}

/** The identities of the first rows that refer to one of these. */
async function referring(
  store: Store,
  { resource, field }: ResourceModel['referencedBy'][number],
  identities: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const condition: Condition = {
    kind: 'compare',
    path: [field.name],
    operator: 'in',
    values: identities as readonly Exclude<Stored, null>[],
  }
  const order = [{ column: '_identity', descending: false }]
  const rowQuery = { table: resource.name, condition, order, after: undefined, limit, evaluate: [] }
  const rows = await store.list({ ...rowQuery, text: noText })
  return rows.map((row) => String(positionOf(row)[0]))
}
