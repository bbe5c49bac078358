/** How the items that a reference can have are found by their title: parameters of the list of their collection. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import { findTitleField } from '../../views/item-title.ts'

/** The title of the items, where the caller sees it on every item and may filter by it. */
export function findSearchableTitle(resource: ResourceModel, caller: Principal): FieldModel | undefined {
  const title = findTitleField(resource)
  const isSearchable = title?.filterable && title.kind.operators === 'text'
  return isSearchable && rightsOf(resource, caller).visibility.get(title)?.kind === 'always'
    ? title
    : undefined
}

/** The parameters that take the text which a person types; none where the caller cannot search. */
export function titleParameters(resource: ResourceModel, caller: Principal): readonly string[] {
  const title = findSearchableTitle(resource, caller)
  const words = resource.search.length > 0 ? ['q'] : []
  if (!title) return words
  // The full-text search has an index, and `contains` then leaves out matches in other fields.
  return [...(resource.search.includes(title) ? words : []), `${title.name}[contains]`]
}
