/** A viewer: a caller, and the part of the service whose changes it wants to see. */

import type { Principal } from '../../access/principal.ts'
import { type Rights, rightsOf } from '../../access/rights.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import { all, always, type Condition } from '../../store/condition.ts'
import { createFieldSelector, type FieldSelector } from '../../views/visible-fields.ts'
import type { ShownVersion } from '../versions/members-in-version.ts'
import { type Dependency, findDependencies } from './dependencies.ts'

export interface Viewer {
  readonly caller: Principal
  /** To the resources whose changes are shown. */
  readonly rights: readonly Rights[]
  /** By table: the resources whose changes are shown. */
  readonly selections: ReadonlyMap<string, ViewedResource>
  /** By table: what the shown items depend on besides their own values. */
  readonly dependencies: ReadonlyMap<string, readonly Dependency[]>
}

export interface ViewedResource {
  readonly rights: Rights
  readonly selector: FieldSelector
  /** The rows that the caller may read and the filter admits. */
  readonly condition: Condition
  /** Set where only one item is followed. */
  readonly identity: string | undefined
  /** Set where items are shown in an older version of the interface. */
  readonly shown?: ShownVersion | undefined
}

/** The changes to show: those of a resource, of the items of a filter, or of one item. */
export interface ChangeSelection {
  readonly resource: ResourceModel
  /** Undefined: all items. */
  readonly filter?: Condition
  readonly identity?: string
  /** The fields to show; undefined: all. */
  readonly fields?: ReadonlySet<FieldModel> | undefined
}

export function createViewer(
  caller: Principal,
  selections: readonly ChangeSelection[],
  shown?: ShownVersion,
): Viewer {
  const viewed = selections.flatMap(({ resource, filter = always, identity, fields }) => {
    const rights = rightsOf(resource, caller)
    if (rights.read.kind === 'never') return []
    const selector = createFieldSelector(rights, 'change', fields)
    const right = identity === undefined ? rights.list : rights.read
    return [{ rights, selector, condition: all([right, filter]), identity, shown }]
  })
  const dependencies = viewed.flatMap(({ rights, selector, condition }) =>
    findDependencies(rights.resource, condition, selector.conditions),
  )
  return {
    caller,
    rights: viewed.map(({ rights }) => rights),
    selections: new Map(viewed.map((one) => [one.rights.resource.name, one])),
    dependencies: Map.groupBy(dependencies, ({ table }) => table),
  }
}

/** The same viewer, which sees items in an older version of the interface. */
export function viewerInVersion(viewer: Viewer, shown: ShownVersion): Viewer {
  const selections = [...viewer.selections].map(([table, viewed]) => [table, { ...viewed, shown }] as const)
  return { ...viewer, selections: new Map(selections) }
}

/** Whether a change of the table can matter to the viewer. */
export function isFollowing({ selections, dependencies }: Viewer, table: string): boolean {
  return selections.has(table) || dependencies.has(table)
}
