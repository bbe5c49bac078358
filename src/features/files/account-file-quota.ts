/** The quota of files: how many octets each account may store. */

import type { Principal } from '../../access/principal.ts'
import { formatOctetSize } from '../../definition/octet-size.ts'
import { type Refusal, refuse } from '../../refusal.ts'
import type { FileQuota } from '../../requests/context/file-handler.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { Write } from '../../store/write.ts'
import { fileQuota } from './check-files.ts'
import { createFileUse, type FileUseContext, octetsOfWrites } from './file-use.ts'

/** Milliseconds that a commit waits for those of the same account. */
const lockTime = 30_000

/** The account that files of the caller count for; undefined for callers without an account. */
export function fileOwner(caller: Principal): string | undefined {
  return caller.kind === 'account' ? caller.identity : undefined
}

/** Undefined where the definition has no quota. */
export function createFileQuota(context: FileUseContext): FileQuota | undefined {
  const { model, store } = context
  const quota = fileQuota.of(model)
  if (quota === undefined) return undefined
  const use = createFileUse(context)
  const usedBy = async (account: string) => Math.max(0, (await use.read()).get(account) ?? 0)
  const findAdded = (writes: readonly Write[]): AddedOctets | undefined => {
    const [added] = [...octetsOfWrites(model, writes)].filter(([, octets]) => octets > 0)
    return added && { account: added[0], octets: added[1] }
  }
  const requireWithin = async ({ account, octets }: AddedOctets) => {
    const left = quota - (await usedBy(account))
    if (octets > left) throw quotaExceeded({ quota, left })
  }
  return {
    async left(caller) {
      const account = fileOwner(caller)
      return account === undefined ? Number.POSITIVE_INFINITY : Math.max(0, quota - (await usedBy(account)))
    },
    async requireRoom(writes) {
      const added = findAdded(writes)
      if (added) await requireWithin(added)
    },
    async commit(writes, commit) {
      const added = findAdded(writes)
      if (!added) return commit()
      const outcome = await store.withNamedLock(`file-quota ${added.account}`, lockTime, async () => {
        await requireWithin(added)
        const committed = await commit()
        if (committed.kind === 'done') use.addCommitted(writes)
        return committed
      })
      if (outcome) return outcome
      throw new StoreUnavailable('slow', 'Another request of the account stores files.')
    },
    refusal: (left) => quotaExceeded({ quota, left }),
  }
}

interface AddedOctets {
  readonly account: string
  readonly octets: number
}

/** 413 with what is left. */
function quotaExceeded({ quota, left }: { readonly quota: number; readonly left: number }): Refusal {
  const rest = Math.max(0, left)
  return refuse('quota-exceeded', {
    detail: `Of the ${formatOctetSize(quota)} that your files may have, ${formatOctetSize(rest)} are left.`,
    members: { quota, left: rest },
  })
}
