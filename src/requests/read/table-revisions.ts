/** The state of the tables that a page shows: revisions for its entity tag, texts for conditional writes. */

import type { ResourceModel } from '../../definition/model.ts'
import type { Store } from '../../store/store.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { referencedKeyResources } from '../../views/opaque-tag.ts'

/** The state of a table before its rows were loaded; a write expects the table to be in the same state. */
export interface TableState {
  readonly table: string
  readonly state: string
}

/** The tables whose rows the representations of these resources show. */
export function sourceTables(resources: readonly ResourceModel[]): readonly string[] {
  const [first] = resources
  if (first && resources.length === 1) return ownTables(first)
  return [...new Set(resources.flatMap(ownTables))]
}

const ownTables = memoizeByObject((resource: ResourceModel): readonly string[] => [
  ...new Set([resource, ...keyResourcesOf(resource)].map(({ name }) => name)),
])

/** The resources whose keys the representations of this resource show. */
export const keyResourcesOf = memoizeByObject(referencedKeyResources)

/** The states of the tables now. */
export function loadTableStates(store: Store, tables: readonly string[]): Promise<readonly TableState[]> {
  return Promise.all(tables.map(async (table) => ({ table, state: await store.tableState(table) })))
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
