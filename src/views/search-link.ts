/** The search links of a collection: URI templates (RFC 6570) with a variable for each parameter. */

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
import { extensionRelation } from './link-relation.ts'
import { aggregateUri, uriInVersion } from './uri.ts'

/** The links to items and to groups of a collection at a path; in an older version they have its names. */
export function createSearchLinks(
  { path, resource }: { readonly path: string; readonly resource: ResourceModel },
  { caller, version }: { readonly caller: Principal; readonly version?: InterfaceVersion },
): readonly Link[] {
  const fieldsOf = version ? queryableFieldsInVersion(version)(caller) : queryableFieldsFor(caller)
  const filters = filterVariables(resource, fieldsOf)
  const link = (rel: string, uri: string, variables: readonly string[]): Link => ({
    target: version ? `${uriInVersion(uri, version)}{&${variables.join()}}` : `${uri}{?${variables.join()}}`,
    rel,
    templated: 'true',
  })
  return [
    link('search', path, [...filters, 'sort', 'limit', 'fields', 'embed']),
    link(extensionRelation('aggregate'), aggregateUri(path), [...filters, ...aggregation, 'sort']),
  ]
}

/** The filters that this caller may use: fields to compare with `eq`, and words. */
function filterVariables(resource: ResourceModel, fieldsOf: QueryableFieldsOf): readonly string[] {
  const attributes = [...fieldsOf(resource).attributes.values()]
  const filters = attributes.filter(
    (attribute) => attribute.filterable && operatorsOf(attribute).includes('eq'),
  )
  const words = resource.search.length > 0 ? ['q'] : []
  return [...filters.map(({ name }) => name), ...words]
}

/** RFC 6570 §2.3: the name of a variable has no hyphen, but may have its percent-encoding. */
const aggregation = aggregationNames.map((name) => name.replace('-', '%2D'))
