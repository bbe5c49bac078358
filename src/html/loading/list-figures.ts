/**
 * The figures that the HTML page of a list shows: how many items there are, how many before the page,
 * and how many have which values. Counting is bounded, so that a page of a large collection stays cheap.
 */

import type { FieldModel } from '../../definition/model.ts'
import { formatQueryString } from '../../http/query-string.ts'
import { aggregateTermsOf, groupTermsOf } from '../../query/aggregate-terms.ts'
import { createListQuery, cursorPosition, parseListParameters } from '../../query/list-query.ts'
import { queryableFieldsOf } from '../../query/queryable-fields.ts'
import { reverseOrder } from '../../query/sort-parameter.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { ListContext } from '../../requests/read/list-page.ts'
import { createAggregateColumns } from '../../requests/read/load-aggregates.ts'
import { all, type Condition } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import type { CollectionView } from '../../views/view.ts'
import { findFacetFields } from '../lists/list-facets.ts'
import { activeFilters, findParameter, parseListLocation } from '../lists/list-location.ts'
import { loadItemTitles } from './item-titles.ts'
import type { Facet, FacetValue, ListFigures, PageLayout } from './page-layout.ts'

/** The most items that are counted for a page. */
export const mostCounted = 10_000
/** The most items before a page that are counted. */
const mostBefore = 1000
const mostGroups = 1000
/** The most values of a reference that a facet shows. */
const mostReferred = 8

interface ShownList {
  readonly list: ListContext
  readonly view: CollectionView
  readonly layout: PageLayout
}

export async function loadListFigures(
  context: RequestContext,
  { list, view, layout }: ShownList,
): Promise<ListFigures> {
  const total = await countWithin(list, all([list.readCondition, list.query.condition]))
  return {
    total,
    before: await countBefore(list, view),
    facets: context.method === 'QUERY' ? undefined : await loadFacets(context, { list, layout, total }),
  }
}

async function countWithin({ unit, selector }: ListContext, condition: Condition) {
  const count = await unit.store.count(selector.resource.name, condition, { atMost: mostCounted + 1 })
  return count > mostCounted ? undefined : count
}

async function countBefore(list: ListContext, { items }: CollectionView): Promise<number | undefined> {
  const { unit, selector, query, readCondition } = list
  const [first] = items
  if (!query.pageStart || !first) return 0
  const rows = await unit.store.list({
    table: selector.resource.name,
    condition: all([readCondition, query.condition]),
    order: reverseOrder(query.order),
    after: cursorPosition(query, first.row),
    limit: mostBefore + 1,
    evaluated: [],
    columns: ['_identity'],
  })
  return rows.length > mostBefore ? undefined : rows.length
}

interface FacetContext {
  readonly list: ListContext
  readonly layout: PageLayout
  /** How many items the list has; undefined where there are too many to count. */
  readonly total: number | undefined
}

/** A facet for each field with few values; undefined where the caller may read too many items. */
async function loadFacets(
  context: RequestContext,
  facetContext: FacetContext,
): Promise<readonly Facet[] | undefined> {
  const { list, layout, total } = facetContext
  const fields = findFacetFields(layout, list.selector.resource)
  if (fields.length === 0) return []
  const isFiltered = list.query.condition.kind !== 'always'
  const readable = isFiltered ? await countWithin(list, list.readCondition) : total
  if (readable === undefined) return undefined
  const facets: Facet[] = []
  for (const field of fields) {
    const values = await loadFacetValues(context, facetContext, field)
    if (values) facets.push({ name: field.name, values })
  }
  return facets
}

/** The values of a field in the list without the filter on this field; undefined where there are too many. */
async function loadFacetValues(
  { unit, caller }: RequestContext,
  { list, layout }: FacetContext,
  field: FieldModel,
): Promise<readonly FacetValue[] | undefined> {
  const { resource } = list.selector
  const { attributes } = queryableFieldsOf(resource, { caller })
  const [group, count] = [groupTermsOf(attributes).get(field.name), aggregateTermsOf(attributes).get('count')]
  if (!group || !count) return undefined
  const { columns, stored } = createAggregateColumns({ groups: [group], aggregates: [count], order: [] })
  const rows = await unit.store.aggregate({
    table: resource.name,
    condition: all([list.readCondition, conditionWithout(list, layout, field.name)]),
    groups: [{ column: group.attribute.column, part: undefined }],
    aggregates: stored,
    limit: mostGroups + 1,
    octets: unit.limits.page,
  })
  if (rows.length > mostGroups) return undefined
  const read = (row: Row) => columns.map((column) => column.read(row))
  const groups = rows
    .map(read)
    .flatMap(([value, number]) =>
      value?.value === undefined
        ? []
        : [{ value: String(value.value), identity: value.identity, count: Number(number?.value) }],
    )
  if (!field.ref) return groups.map(({ value, count }) => ({ value, title: undefined, count }))
  const chosen = findParameter(parseListLocation(layout), field.name)
  const ranked = groups
    .toSorted((one, other) => other.count - one.count)
    .filter(({ value }, at) => at < mostReferred || value === chosen)
  const identities = ranked.flatMap(({ identity }) => identity ?? [])
  const unknown = identities.filter((identity) => !layout.titles.has(identity))
  const titles = await loadItemTitles(unit, caller, [
    { target: field.ref.resource, identities: unknown, shown: 'identity' },
  ])
  return ranked.flatMap(({ value, identity = '', count }) => {
    const title = layout.titles.get(identity) ?? titles.get(identity)
    return title === undefined ? [] : [{ value, title, count }]
  })
}

/** The condition of the list as if it had no filter on this field. */
function conditionWithout(
  { unit, caller, query, selector: { resource } }: ListContext,
  layout: PageLayout,
  name: string,
): Condition {
  const filters = activeFilters(parseListLocation(layout))
  if (!filters.some(([one]) => one === name)) return query.condition
  const others = formatQueryString(filters.filter(([one]) => one !== name))
  const parameters = parseListParameters({ resource, within: undefined }, { caller }, others)
  return createListQuery(parameters, undefined, unit.cursors).condition
}
