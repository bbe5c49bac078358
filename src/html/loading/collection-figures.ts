/** The figures of each collection on the home page: its items, its last change and its states. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { shownChange } from '../../access/shown-change.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import { all } from '../../store/condition.ts'
import { findCreateAction } from '../../views/create-action.ts'
import { isListable } from '../../views/form-input.ts'
import { formUriOf } from '../../views/uri.ts'
import type { CollectionFigures } from './page-layout.ts'

/** The most items that are counted. */
const mostCounted = 10_000

type FiguresContext = Pick<Unit, 'model' | 'store' | 'limits'>

/** By the name of the collection, for those that the caller may list. */
export async function loadCollectionFigures(
  context: FiguresContext,
  caller: Principal,
): Promise<ReadonlyMap<string, CollectionFigures>> {
  const listed = [...context.model.resources.values()].filter(
    (resource) => resource.declared && isListable(resource, caller),
  )
  const figures = new Map<string, CollectionFigures>()
  for (const resource of listed) figures.set(resource.name, await loadFigures(context, caller, resource))
  return figures
}

async function loadFigures(
  context: FiguresContext,
  caller: Principal,
  resource: ResourceModel,
): Promise<CollectionFigures> {
  const { model, store, limits } = context
  const rights = rightsOf(resource, caller)
  const { read, list } = rights
  const condition = all([read, list])
  const creation = findCreateAction(model, resource, caller)
  const newUri = creation?.createsItem ? formUriOf(model, creation.target) : undefined
  const count = await store.count(resource.name, condition, { atMost: mostCounted + 1 })
  if (count > mostCounted) return { total: undefined, changed: undefined, states: [], newUri }
  const state = findState(resource, caller)
  const rows = await store.aggregate({
    table: resource.name,
    condition,
    groups: state ? [{ column: state.name, part: undefined }] : [],
    aggregates: [
      { kind: 'count', column: undefined },
      { kind: 'max', column: shownChange(rights).timeColumn },
    ],
    limit: 1000,
    octets: limits.page,
  })
  const numbers = rows.map((row) => ({ row, count: Number(row.at(-2)), changed: row.at(-1) }))
  const changed = numbers
    .flatMap((one) => (typeof one.changed === 'string' ? [one.changed] : []))
    .toSorted()
    .at(-1)
  const states = (state?.state?.states ?? []).map((value) => ({
    value,
    count: numbers.find(({ row }) => row[0] === value)?.count ?? 0,
    tone: state?.tones.get(value),
  }))
  const total = numbers.reduce((sum, one) => sum + one.count, 0)
  return { total, changed, states, newUri }
}

/** The state field that the caller sees on every item. */
function findState(resource: ResourceModel, caller: Principal): FieldModel | undefined {
  const { visibility } = rightsOf(resource, caller)
  return resource.fields.find(
    (field) => field.state && field.filterable && visibility.get(field)?.kind === 'always',
  )
}
