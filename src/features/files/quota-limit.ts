/** The limit that the quota sets to the files of one request while they arrive. The commit decides exactly. */

import type { Principal } from '../../access/principal.ts'
import type { FileQuota } from '../../requests/context/file-handler.ts'

export interface QuotaLimit {
  readonly quota: FileQuota
  /** Octets of the account that are left. */
  readonly left: number
  /** Octets that the files of the request may have. */
  readonly octets: number
}

/** Undefined where nothing limits the caller. `freed` are octets that the request replaces. */
export async function quotaLimit(
  { quota }: { readonly quota: FileQuota | undefined },
  caller: Principal,
  freed: number,
): Promise<QuotaLimit | undefined> {
  if (!quota) return undefined
  const left = await quota.left(caller)
  return left === Number.POSITIVE_INFINITY ? undefined : { quota, left, octets: left + freed }
}

/** Refuses 413 where so many octets are too many. */
export function requireWithin(limit: QuotaLimit | undefined, octets: number): void {
  if (limit && octets > limit.octets) throw limit.quota.refusal(limit.left)
}
