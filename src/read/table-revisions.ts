/** The state of the tables that a page shows: revisions for its entity tag, marks for conditional writes. */

import type { ResourceModel } from '../definition/model.ts'
import type { Store } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { referencedKeyResources } from '../view/opaque-tag.ts'

/** The state of a table before its rows were loaded; a write expects the table to be in the same state. */
export interface TableMark {
  readonly table: string
  readonly mark: string
}

/** The tables whose rows the representations of these resources show. */
export function shownTables(resources: readonly ResourceModel[]): readonly string[] {
  const [first] = resources
  if (first && resources.length === 1) return ownTables(first)
  return [...new Set(resources.flatMap(ownTables))]
}

const ownTables = memoizeByObject((resource: ResourceModel): readonly string[] => [
  ...new Set([resource, ...referencedKeyResources(resource)].map(({ name }) => name)),
])

/** The marks of the tables now. */
export function loadTableMarks(store: Store, tables: readonly string[]): Promise<readonly TableMark[]> {
  return Promise.all(tables.map(async (table) => ({ table, mark: await store.mark(table) })))
}

/** The revisions of the tables; undefined when the store counts none. */
export async function loadRevisions(
  store: Store,
  tables: readonly string[],
): Promise<readonly number[] | undefined> {
  const revisions: number[] = []
  for (const table of tables) {
    const revision = await store.revision(table)
    if (revision === undefined) return undefined
    revisions.push(revision)
  }
  return revisions
}
