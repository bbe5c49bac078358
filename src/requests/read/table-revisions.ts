/** The state of the tables that a page shows: revisions for its entity tag, texts for conditional writes. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { seesAllChanges, seesPublicChangesOnly } from '../../access/shown-change.ts'
import type { ResourceModel } from '../../definition/model.ts'
import type { RevisedChanges, Store } from '../../store/store.ts'
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

/** A table, and those of its changes that the caller may see. */
export interface RevisedTable {
  readonly table: string
  readonly changes: RevisedChanges
}

/**
 * The tables of the resources and of those whose keys they show. Undefined where the caller sees some
 * of the restricted fields: no revision counts just their changes.
 */
export function findRevisedTables(
  resources: readonly ResourceModel[],
  caller: Principal,
): readonly RevisedTable[] | undefined {
  const shown = new Set(resources.flatMap((one) => [one, ...keyResourcesOf(one)]))
  const tables = [...shown].flatMap((resource): RevisedTable[] => {
    const rights = rightsOf(resource, caller)
    const table = resource.name
    if (seesAllChanges(rights)) return [{ table, changes: 'all' }]
    return seesPublicChangesOnly(rights) ? [{ table, changes: 'public' }] : []
  })
  return tables.length < shown.size ? undefined : tables
}

/** The revisions of the tables; undefined when the store counts none. */
export async function loadRevisions(
  store: Store,
  tables: readonly RevisedTable[],
): Promise<readonly number[] | undefined> {
  const revisions: number[] = []
  for (const { table, changes } of tables) {
    const revision = await store.revision(table, changes)
    if (revision === undefined) return undefined
    revisions.push(revision)
  }
  return revisions
}
