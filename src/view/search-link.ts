/** The search link of a collection: a URI template (RFC 6570) with a variable for each parameter. */

import type { Principal } from '../access/principal.ts'
import type { ResourceModel } from '../definition/model.ts'
import type { Link } from '../http/link.ts'
import { aggregationNames } from '../query/aggregation.ts'
import { operatorsOf } from '../query/comparison.ts'
import { queryableFieldsFor } from '../query/queryable-fields.ts'

/** The link for a collection at a path. */
export function createSearchLink(
  { path, resource }: { readonly path: string; readonly resource: ResourceModel },
  caller: Principal,
): Link {
  const variables = searchVariables(resource, caller).join()
  const target = `${path}{?${variables}}`
  return { target, rel: 'search', templated: 'true' }
}

/** The parameters that this caller may use: fields to compare with `eq`, and controls. */
function searchVariables(resource: ResourceModel, caller: Principal): readonly string[] {
  const attributes = [...queryableFieldsFor(caller)(resource).attributes.values()]
  const filters = attributes.filter(
    (attribute) => attribute.filterable && operatorsOf(attribute).includes('eq'),
  )
  const words = resource.search.length > 0 ? ['q'] : []
  return [...filters.map(({ name }) => name), ...words, 'sort', 'limit', 'fields', 'embed', ...aggregation]
}

/** RFC 6570 §2.3: the name of a variable has no hyphen, but may have its percent-encoding. */
const aggregation = aggregationNames.map((name) => name.replace('-', '%2D'))
