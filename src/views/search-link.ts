/** The search links of a collection: URI templates (RFC 6570) with a variable for each parameter. */

import type { ResourceModel } from '../definition/model.ts'
import type { Link } from '../http/link.ts'
import { aggregationNames } from '../query/aggregation.ts'
import { operatorsOf } from '../query/comparison.ts'
import { type QueryableFields, type QueryCaller, queryableFieldsOf } from '../query/queryable-fields.ts'
import { extensionRelation } from './link-relation.ts'
import { aggregateUri, uriInVersion } from './uri.ts'

/** The links to items and to groups of a collection at a path; in an older version they have its names. */
export function createSearchLinks(
  { path, resource }: { readonly path: string; readonly resource: ResourceModel },
  by: QueryCaller,
): readonly Link[] {
  const { version } = by
  const filters = filterVariables(queryableFieldsOf(resource, by))
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
function filterVariables({ resource, attributes }: QueryableFields): readonly string[] {
  const filters = [...attributes.values()].filter(
    (attribute) => attribute.filterable && operatorsOf(attribute).includes('eq'),
  )
  const words = resource.search.length > 0 ? ['q'] : []
  return [...filters.map(({ name }) => name), ...words]
}

/** RFC 6570 §2.3: the name of a variable has no hyphen, but may have its percent-encoding. */
const aggregation = aggregationNames.map((name) => name.replace('-', '%2D'))
