/** The use of the quota of files, for administrators. */

import type { Model } from '../../definition/model.ts'
import type { FileFigures } from '../../operation/status-figures.ts'
import type { Store } from '../../store/store.ts'
import { findRow } from '../../store/table-rows.ts'
import { itemUri } from '../../views/uri.ts'
import { fileQuota } from './check-files.ts'
import { createFileUse, type FileUse } from './file-use.ts'

/** The accounts with the most octets that are named. */
const maxAccounts = 20

/** Null where the definition has no quota. */
export async function loadFileFigures(store: Store, model: Model): Promise<FileFigures | null> {
  const quota = fileQuota.of(model)
  if (quota === undefined) return null
  const octets = [...(await useOf(store, model).read())].filter(([, used]) => used > 0)
  const most = octets.toSorted(([, a], [, b]) => b - a).slice(0, maxAccounts)
  const accounts = await Promise.all(
    most.map(async ([identity, used]) => ({ account: await findAccountUri(store, model, identity), used })),
  )
  return { quota, used: octets.reduce((sum, [, used]) => sum + used, 0), accounts }
}

/** One for each store, so that rows are counted once. */
function useOf(store: Store, model: Model): FileUse {
  const known = uses.get(store) ?? createFileUse({ model, store, clock: { now: () => Date.now() } })
  uses.set(store, known)
  return known
}

const uses = new WeakMap<Store, FileUse>()

/** Null where the account was deleted. */
async function findAccountUri(store: Store, model: Model, identity: string): Promise<string | null> {
  const resource = model.accounts?.resource
  if (!resource) return null
  const row = await findRow(store, resource, identity)
  return row ? itemUri(model, resource, row) : null
}
