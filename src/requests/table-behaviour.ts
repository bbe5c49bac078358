/** The code of accounts and of built-in tables: how items are created and changed, actions, and what a deletion requires. */

import type { TableTraits } from '../definition/built-in-table.ts'
import type { Model, ResourceModel, Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import type { Write } from '../store/write.ts'
import type { RequestContext } from './context/request-context.ts'
import type { CollectionTarget, ItemTarget } from './context/target.ts'
import type { CurrentState, FoundItem } from './read/current-state.ts'
import type { RecordDraft } from './write/draft-builder.ts'
import type { ContentMembers } from './write/draft-from-content.ts'
import type { PlannedChange } from './write/planned-change.ts'

export interface TableBehaviour {
  /** POST of the collection; undefined: it creates an ordinary item. */
  create?(
    context: RequestContext<CollectionTarget>,
    body: unknown,
    current: CurrentState,
  ): Promise<PlannedChange | undefined>
  /** Refuses a PUT that would create an item at its URI. */
  requireCreatableAtUri?(context: RequestContext<ItemTarget>): void
  /** Begins a change with the members of its content, which may have a proof besides fields. */
  beginChange?(context: RequestContext<ItemTarget>, row: Row, members: ContentMembers): BegunChange
  /** The values of the row that a change stores; by default those that were drafted. */
  prepareChange?(
    context: RequestContext<ItemTarget>,
    row: Row,
    drafted: readonly Stored[],
  ): Promise<readonly Stored[]>
  /** The writes beside a change of the row to these values. */
  writesBeside?(
    context: RequestContext<ItemTarget>,
    row: Row,
    values: readonly Stored[],
  ): Promise<readonly Write[]>
  /** The code of its actions, by name. Most ignore the content. */
  readonly actions?: Readonly<Record<string, PerformOwnAction>>
  /** The writes beside a deletion; refuses one that is not possible. */
  prepareDeletion?(context: RequestContext<ItemTarget>, row: Row): Promise<readonly Write[]>
}

export interface BegunChange {
  /** The members that are fields. */
  readonly members: ContentMembers
  /** Refuses a change that the caller may not make, or adds the faults of its proof to the draft. */
  check(draft: RecordDraft): Promise<CheckedDraft>
}

export interface CheckedDraft {
  readonly draft: RecordDraft
  /** Verifies the proof; it must pass before the change is written. Undefined: none is needed. */
  readonly verify: (() => Promise<void>) | undefined
}

type PerformOwnAction = (
  context: RequestContext<ItemTarget>,
  current: FoundItem,
  readBody: () => Promise<unknown>,
) => Promise<PlannedChange>

export interface TableBehaviours {
  readonly accounts: TableBehaviour
  readonly builtIn: ReadonlyMap<TableTraits, TableBehaviour>
}

/** The code of the resource; none for other resources of a definition. */
export function behaviourOf(
  { accounts, builtIn }: TableBehaviours,
  model: Model,
  resource: ResourceModel,
): TableBehaviour {
  return (resource === model.accounts?.resource ? accounts : builtIn.get(resource.traits)) ?? {}
}
