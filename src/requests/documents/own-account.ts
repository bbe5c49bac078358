/** The caller's own account, as a link. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { ResourceModel } from '../../definition/model.ts'
import type { Row } from '../../store/row.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { itemUri } from '../../views/uri.ts'
import type { Unit } from '../context/service-context.ts'

interface OwnAccount {
  readonly uri: string
  readonly resource: ResourceModel
  readonly row: Row
}

/** The caller's account and its URI; undefined when the caller has none or may not read it. */
export async function findOwnAccount(
  { model, store }: Pick<Unit, 'model' | 'store'>,
  caller: Principal,
): Promise<OwnAccount | undefined> {
  const resource = model.accounts?.resource
  if (caller.kind !== 'account' || !resource?.itemMethods.has('GET')) return undefined
  const { read } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read])
  const row = await store.find({
    table: resource.name,
    column: '_identity',
    value: caller.identity,
    evaluated: checks.conditions,
  })
  if (!row || !checks.readResults(row)(read)) return undefined
  return { uri: itemUri(model, resource, row), resource, row }
}
