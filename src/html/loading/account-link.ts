/** The link to the caller's own account. */

import type { Principal } from '../../access/principal.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import { findOwnAccount } from '../../requests/read/find-item.ts'
import { loadTitles } from './item-titles.ts'

interface OwnAccountLink {
  readonly uri: string
  /** Undefined where it has none that the caller sees. */
  readonly title: string | undefined
}

/** Undefined when the caller has no account, or may not read it. */
export async function loadAccountLink(
  unit: Pick<Unit, 'model' | 'store' | 'limits'>,
  caller: Principal,
): Promise<OwnAccountLink | undefined> {
  const account = await findOwnAccount(unit, caller)
  if (!account) return undefined
  const [title] = await loadTitles(unit, caller, account.resource, [account.row])
  return { uri: account.uri, title: title || undefined }
}
