/** Items that something else leads to, as far as the caller may see them. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { ResourceModel } from '../definition/model.ts'
import { createRowChecks } from '../view/row-checks.ts'
import { itemUri } from '../view/uri.ts'

/** The URI of the item with that identity; undefined where it is hidden or gone. */
export async function findVisibleUri(
  { model, store }: ServiceContext,
  caller: Principal,
  resource: ResourceModel,
  identity: string,
): Promise<string | undefined> {
  const { read } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read])
  const row = await store.find({
    table: resource.name,
    column: '_identity',
    value: identity,
    evaluate: checks.conditions,
  })
  return row && checks.readResults(row)(read) ? itemUri(model, resource, row) : undefined
}
