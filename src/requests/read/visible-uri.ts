/** The URIs of items that the caller may read. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { itemUri } from '../../views/uri.ts'
import type { Unit } from '../context/service-context.ts'

/** The URI of the item with that identity; undefined when it is hidden or deleted. */
export async function findVisibleUri(
  { model, store }: Pick<Unit, 'model' | 'store'>,
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
    evaluated: checks.conditions,
  })
  return row && checks.readResults(row)(read) ? itemUri(model, resource, row) : undefined
}
