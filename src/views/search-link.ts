/** The search link of a collection: a URI template (RFC 6570) with a variable for each parameter. */

import type { Principal } from '../access/principal.ts'
import type { InterfaceVersion } from '../definition/interface-version.ts'
import type { ResourceModel } from '../definition/model.ts'
import type { Link } from '../http/link.ts'
import { aggregationNames } from '../query/aggregation.ts'
import { operatorsOf } from '../query/comparison.ts'
import {
  type QueryableFieldsOf,
  queryableFieldsFor,
  queryableFieldsInVersion,
} from '../query/queryable-fields.ts'
import { uriInVersion } from './uri.ts'

/** The link for a collection at a path; in an older version it has the names of the version. */
export function createSearchLink(
  { path, resource }: { readonly path: string; readonly resource: ResourceModel },
  { caller, version }: { readonly caller: Principal; readonly version?: InterfaceVersion },
): Link {
  const fieldsOf = version ? queryableFieldsInVersion(version)(caller) : queryableFieldsFor(caller)
  const variables = searchVariables(resource, fieldsOf).join()
  const target = version ? `${uriInVersion(path, version)}{&${variables}}` : `${path}{?${variables}}`
  return { target, rel: 'search', templated: 'true' }
}

/** The parameters that this caller may use: fields to compare with `eq`, and controls. */
function searchVariables(resource: ResourceModel, fieldsOf: QueryableFieldsOf): readonly string[] {
  const attributes = [...fieldsOf(resource).attributes.values()]
  const filters = attributes.filter(
    (attribute) => attribute.filterable && operatorsOf(attribute).includes('eq'),
  )
  const words = resource.search.length > 0 ? ['q'] : []
  return [...filters.map(({ name }) => name), ...words, 'sort', 'limit', 'fields', 'embed', ...aggregation]
}

/** RFC 6570 §2.3: the name of a variable has no hyphen, but may have its percent-encoding. */
const aggregation = aggregationNames.map((name) => name.replace('-', '%2D'))
