/** The caller as code of the definition and other programs see it. */

import type { Principal } from '../../access/principal.ts'
import type { Caller } from '../../definition/logic/logic-tools.ts'
import type { ResourceModel } from '../../definition/model.ts'
import type { Store } from '../../store/store.ts'
import { findRow } from '../../store/table-rows.ts'
import { idOf } from '../../views/uri.ts'
import type { Unit } from './service-context.ts'

/** Code of the definition, or a program, with all rights. */
export const systemCaller: Caller = describe({ kind: 'system' }, [])

/** Each call returns another object, so that it identifies one request. */
export async function describeCaller(
  { model, store }: Pick<Unit, 'model' | 'store'>,
  caller: Principal,
): Promise<Caller> {
  if (caller.kind === 'system') return systemCaller
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
  const row = await findRow(store, accounts, identity)
  return row ? idOf(accounts, row) : identity
}

/** The caller that a program outside of the definition acts for. */
export interface ProgramCaller {
  readonly caller: Caller
  /** The caller with its present rights. Refuses 401 where its credentials have ended, and 403 where they do not suffice. */
  findCaller(): Promise<Principal>
  /** The tools for another caller. Throws a TypeError for others than the service has identified. */
  as(caller: unknown): object
  /** Aborted when the service stops. */
  readonly ending: AbortSignal
}
