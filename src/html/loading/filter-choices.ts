/** Loads the titles of the items that the filters of a list name. */

import type { Principal } from '../../access/principal.ts'
import type { ResourceModel } from '../../definition/model.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { filteredIds } from '../lists/filter-text.ts'
import { activeFilters, parseListLocation } from '../lists/list-location.ts'
import type { PageLayout, ReferenceChoices } from './page-layout.ts'
import { loadChosen } from './reference-choices.ts'

/** The items by collection, as far as the caller may read them. */
export async function loadFilterChoices(
  context: Pick<ServiceContext, 'store'>,
  caller: Principal,
  resource: ResourceModel,
  layout: Pick<PageLayout, 'uri'>,
): Promise<ReadonlyMap<string, ReferenceChoices>> {
  const filters = activeFilters(parseListLocation(layout))
  const named = filters.flatMap((filter) => filteredIds(resource, filter) ?? [])
  const loaded = await Promise.all(
    [...Map.groupBy(named, ({ target }) => target)].map(async ([target, own]) => {
      const ids = own.flatMap((one) => one.ids)
      const items = await loadChosen(context, caller, target, ids)
      return [target.name, { items, isComplete: false }] as const
    }),
  )
  return new Map(loaded)
}
