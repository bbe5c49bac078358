/** The code of built-in tables: how their items are created and changed, their actions, and what their deletion requires. */

import type { TableTraits } from '../definition/built-in-table.ts'
import type { Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import type { Write } from '../store/write.ts'
import type { RequestContext } from './context/request-context.ts'
import type { CollectionTarget, ItemTarget } from './context/target.ts'
import type { CurrentState, FoundItem } from './read/current-state.ts'
import type { PlannedChange } from './write/planned-change.ts'

export interface TableBehaviour {
  /** POST of the collection. Without it, POST creates an ordinary item. */
  create?(
    context: RequestContext<CollectionTarget>,
    body: unknown,
    current: CurrentState,
  ): Promise<PlannedChange>
  /** The values of the row that a change stores; by default those that were drafted. */
  prepareChange?(
    context: RequestContext<ItemTarget>,
    row: Row,
    drafted: readonly Stored[],
  ): Promise<readonly Stored[]>
  /** The code of its actions, by name. Most ignore the content. */
  readonly actions?: Readonly<Record<string, PerformOwnAction>>
  /** The writes beside a deletion; refuses one that is not possible. */
  prepareDeletion?(context: RequestContext<ItemTarget>, row: Row): Promise<readonly Write[]>
}

type PerformOwnAction = (
  context: RequestContext<ItemTarget>,
  current: FoundItem,
  readBody: () => Promise<unknown>,
) => Promise<PlannedChange>

/** By table. The resources of a definition have none. */
export type TableBehaviours = ReadonlyMap<TableTraits, TableBehaviour>
