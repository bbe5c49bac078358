/** The search in a collection as a URI template (RFC 6570): a variable for each parameter. */

import type { Principal } from '../access/principal.ts'
import type { Model, ResourceModel } from '../declare/model.ts'
import type { Link } from '../http/link.ts'
import { operatorsOf } from '../query/comparison.ts'
import { sightsOf } from '../query/sight.ts'
import { collectionUri } from './uri.ts'

export function searchLink(model: Model, resource: ResourceModel, who: Principal): Link {
  const variables = searchVariables(resource, who).join()
  const target = `${collectionUri(model, resource)}{?${variables}}`
  return { target, rel: 'search', templated: 'true' }
}

/** What a list understands, as far as this caller may use it: fields to be equal to, and controls. */
function searchVariables(resource: ResourceModel, who: Principal): readonly string[] {
  const attributes = [...sightsOf(who)(resource).attributes.values()]
  const filters = attributes.filter(
    (attribute) => attribute.filterable && operatorsOf(attribute).includes('eq'),
  )
  const words = resource.search.length > 0 ? ['q'] : []
  return [...filters.map(({ name }) => name), ...words, 'sort', 'limit', 'fields', 'embed']
}
