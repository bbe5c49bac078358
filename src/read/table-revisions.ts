/** What the tables behind a page are at: for its entity tag, and for a write that expects no other. */

import type { ResourceModel } from '../definition/model.ts'
import type { MaybePromise, Store } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { referencedKeyResources } from '../view/opaque-tag.ts'

/** From before anything was loaded; taken only where something is going to be written. */
export interface TableMark {
  readonly table: string
  readonly mark: string
}

/** Those that the resources are shown from. */
export function tablesOf(made: readonly ResourceModel[]): readonly string[] {
  const [first] = made
  if (first && made.length === 1) return ownTables(first)
  return [...new Set(made.flatMap(ownTables))]
}

const ownTables = memoizeByObject((resource: ResourceModel): readonly string[] => [
  ...new Set([resource, ...referencedKeyResources(resource)].map(({ name }) => name)),
])

export function loadTableMarks(
  store: Store,
  tables: readonly string[],
): Promise<readonly TableMark[]> {
  return Promise.all(tables.map(async (table) => ({ table, mark: await store.mark(table) })))
}

/** Undefined where the store counts none: then the tag is made from the page. */
export function loadRevisions(
  store: Store,
  tables: readonly string[],
): MaybePromise<readonly number[] | undefined> {
  const asked = tables.map((name) => store.revision(name))
  return asked.some((one) => one instanceof Promise)
    ? Promise.all(asked).then(whole)
    : whole(asked as (number | undefined)[])
}

function whole(revisions: readonly (number | undefined)[]): readonly number[] | undefined {
  return revisions.every((revision) => revision !== undefined) ? revisions : undefined
}
