/** Items that something else leads to, as far as the caller may see them. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { ResourceModel } from '../declare/model.ts'
import { asksOf } from '../view/record.ts'
import { itemUri } from '../view/uri.ts'
import type { Context } from './context.ts'

/** The URI of the item with that identity; undefined where it is hidden or gone. */
export async function findVisibleUri(
  { model, store }: Context,
  who: Principal,
  resource: ResourceModel,
  identity: string,
): Promise<string | undefined> {
  const { read } = rightsOf(resource, who)
  const asks = asksOf(resource, [read])
  const row = await store.find({
    table: resource.name,
    column: '_identity',
    value: identity,
    asks: asks.conditions,
  })
  return row && asks.answersIn(row)(read) ? itemUri(model, resource, row) : undefined
}
