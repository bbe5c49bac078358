/** The caller's own account, as a link. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { FieldModel } from '../../definition/model.ts'
import { formatTitle } from '../../views/item-title.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { itemUri } from '../../views/uri.ts'
import type { Unit } from '../context/service-context.ts'

interface OwnAccount {
  readonly uri: string
  /** Undefined where it has none that the caller sees. */
  readonly title: string | undefined
}

/** The URI and title of the caller's account; undefined when the caller has none or may not read it. */
export async function findOwnAccount(
  { model, store }: Pick<Unit, 'model' | 'store'>,
  caller: Principal,
): Promise<OwnAccount | undefined> {
  const resource = model.accounts?.resource
  if (caller.kind !== 'account' || !resource?.itemMethods.has('GET')) return undefined
  const { read, visibility } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read])
  const row = await store.find({
    table: resource.name,
    column: '_identity',
    value: caller.identity,
    evaluated: checks.conditions,
  })
  if (!row || !checks.readResults(row)(read)) return undefined
  const isSeen = (field: FieldModel) => visibility.get(field)?.kind === 'always'
  const title = formatTitle(resource, (field) => (isSeen(field) ? row[field.index] : null))
  return { uri: itemUri(model, resource, row), title: title === '' ? undefined : title }
}
