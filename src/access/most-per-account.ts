/** How many items of a built-in table an account may have. */

import type { MostPerAccount } from '../definition/built-in-table.ts'
import type { ResourceModel } from '../definition/model.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { all, always, type Condition, equals } from '../store/condition.ts'
import type { Store } from '../store/store.ts'

export interface HeldItems {
  readonly resource: ResourceModel
  /** The identity of the account. */
  readonly account: string
  /** Only items that satisfy it count. */
  readonly only?: Condition
  /** How many of them the same request removes. */
  readonly removed?: number
}

/** Whether the account may have another item of the table. */
export async function hasRoom(
  store: Store,
  { resource, account, only = always, removed = 0 }: HeldItems,
): Promise<boolean> {
  const { mostPerAccount: most } = resource.traits
  if (!most) return true
  const count = await store.count(resource.name, all([equals([most.owner], account), only]))
  return count - removed < most.count
}

/** Refuses 403 where the account may have no other item of the table. */
export async function requireRoom(store: Store, held: HeldItems): Promise<void> {
  const { mostPerAccount: most } = held.resource.traits
  if (most && !(await hasRoom(store, held))) throw fullRefusal(most)
}

/** The refusal of another item of an account that has as many as it may have. */
export function fullRefusal({ count, items }: MostPerAccount): Refusal {
  return refuse('forbidden', {
    detail: `An account has at most ${count} ${items}. Delete some of them first.`,
  })
}
