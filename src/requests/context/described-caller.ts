/** The caller as code of the definition and other programs see it. */

import type { Principal } from '../../access/principal.ts'
import type { Caller } from '../../definition/logic/logic-tools.ts'
import type { ResourceModel } from '../../definition/model.ts'
import type { Store } from '../../store/store.ts'
import { idOf } from '../../views/uri.ts'
import type { Unit } from './service-context.ts'

/** Each call returns another object, so that it identifies one request. */
export async function describeCaller(
  { model, store }: Pick<Unit, 'model' | 'store'>,
  caller: Principal,
): Promise<Caller> {
  if (caller.kind === 'external') return describe({ kind: 'external' }, caller.roles)
  if (caller.kind !== 'account') return describe({ kind: 'anonymous' }, [])
  const id = await accountId(store, model.accounts?.resource, caller.identity)
  return describe({ kind: 'account', id }, caller.roles)
}

function describe(caller: Pick<Caller, 'kind' | 'id'>, roles: Iterable<string>): Caller {
  return Object.freeze({ ...caller, roles: Object.freeze([...roles]) })
}

async function accountId(store: Store, accounts: ResourceModel | undefined, identity: string) {
  if (!accounts?.keyField) return identity
  const row = await store.find({ table: accounts.name, column: '_identity', value: identity, evaluated: [] })
  return row ? idOf(accounts, row) : identity
}
