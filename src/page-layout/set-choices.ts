/** Loads the items that the forms of a page offer for sets of references, where they are few. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { ResourceModel } from '../definition/model.ts'
import { isListable } from '../view/form-input.ts'
import type { Action } from '../view/hypermedia-controls.ts'
import { findTitleField } from '../view/item-title.ts'
import type { SetChoice } from '../view/page-layout.ts'
import { idOf } from '../view/uri.ts'
import { shortenTitle } from './item-titles.ts'

/** A form shows a checkbox for each of at most so many items; with more it has a text of ids. */
const maxChoices = 50

/** The choices by collection; collections with more items than a form offers are left out. */
export async function loadSetChoices(
  { store }: Pick<ServiceContext, 'store'>,
  caller: Principal,
  actions: readonly Action[],
): Promise<ReadonlyMap<string, readonly SetChoice[]>> {
  const targets = new Set(
    actions.flatMap(({ inputs }) => inputs.flatMap(({ field }) => field.refs?.resource ?? [])),
  )
  const listable = [...targets].filter((resource) => isListable(resource, caller))
  const loaded = await Promise.all(
    listable.map(async (resource) => [resource.name, await loadChoices(store, caller, resource)] as const),
  )
  return new Map(loaded.filter(([, choices]) => choices.length <= maxChoices))
}

async function loadChoices(
  store: ServiceContext['store'],
  caller: Principal,
  resource: ResourceModel,
): Promise<readonly SetChoice[]> {
  const { read, visibility } = rightsOf(resource, caller)
  const rows = await store.list({
    table: resource.name,
    condition: read,
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: maxChoices + 1,
    evaluated: [],
  })
  const title = findTitleField(resource)
  const visible = title && visibility.get(title)?.kind === 'always' ? title : undefined
  const choices = rows.map((row) => {
    const id = idOf(resource, row)
    return { id, title: shortenTitle(String((visible && row[visible.index]) ?? id)) }
  })
  return choices.sort((a, b) => (a.title < b.title ? -1 : 1))
}
