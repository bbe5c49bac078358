/** The query of a list: filter, order, page and selection, from the query string and a QUERY. */

import type { AggregateDerivedModel, ResourceModel, Stored } from '../definition/model.ts'
import { formatQueryString } from '../http/query-string.ts'
import { all, type Condition } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { type Aggregation, aggregationNames, parseAggregation } from './aggregation.ts'
import type { CursorCodec } from './cursor.ts'
import { canonicalFilter, type Filter, filterCondition, leavesOf } from './filter.ts'
import { type ItemSelection, parseSelection } from './item-query.ts'
import { parseFilters } from './parse-filters.ts'
import type { PathStep } from './path.ts'
import { parseQueryBody } from './query-body.ts'
import {
  invalidParameter,
  parseAllParameters,
  type QueryParameter,
  valuesByName,
  versionParameter,
} from './query-parameter.ts'
import { type QueryableFields, type QueryCaller, queryableFieldsOf } from './queryable-fields.ts'
import { parseSearch } from './search-parameter.ts'
import { parseSort, reverseOrder, type SortTerm } from './sort-parameter.ts'

/** The parsed query string, before the content of a QUERY is read. */
export interface ListParameters extends ItemSelection {
  readonly resource: ResourceModel
  /** The names and the id in the path of a sub-collection; undefined for the whole collection. */
  readonly within: readonly string[] | undefined
  readonly queryable: QueryableFields
  readonly limit: number
  readonly order: readonly SortTerm[]
  readonly filter: Filter
  readonly search: string | undefined
  /** Set for the groups of the list. */
  readonly aggregation: Aggregation | undefined
  readonly cursor: { readonly name: 'after' | 'before'; readonly text: string } | undefined
  /** The parameters as sent, without cursors, for links to other pages. */
  readonly linkParameters: readonly QueryParameter[]
}

export interface ListQuery extends ItemSelection {
  readonly limit: number
  readonly order: readonly SortTerm[]
  /** The condition of the filter and the search, without the caller's rights. */
  readonly condition: Condition
  /** Set for the groups of the list. */
  readonly aggregation: Aggregation | undefined
  /** The position of the cursor and the direction; undefined on the first page. */
  readonly pageStart: { readonly backwards: boolean; readonly position: readonly Stored[] } | undefined
  /** Identifies the collection, order and filter, for cursors; equal for all callers. */
  readonly listKey: string
  /** The steps that the filter and the order follow to items of other resources. */
  readonly steps: readonly PathStep[]
  /** The derived fields that the filter and the order compare. */
  readonly derived: readonly AggregateDerivedModel[]
  /** The parameters for links to other pages. */
  readonly linkParameters: readonly QueryParameter[]
}

export const controlNames = ['limit', 'after', 'before', 'sort', 'fields', 'embed', 'format']
export const defaultLimit = 50
export const maxLimit = 1000

/** A list, or its groups. */
export interface ParsedList extends Pick<ListParameters, 'resource' | 'within'> {
  readonly isGrouped?: boolean
}

/** Parses the query string of a list or of its groups; refuses 400. */
export function parseListParameters(
  { resource, within, isGrouped }: ParsedList,
  by: QueryCaller,
  query: string | undefined,
): ListParameters {
  const parameters = parseAllParameters(query)
  const names = [
    ...controlNames,
    ...(isGrouped ? aggregationNames : []),
    ...(resource.search.length > 0 ? ['q'] : []),
    ...(by.version ? [versionParameter] : []),
  ]
  const { filters, controlling, linkParameters } = classifyParameters(parameters, names)
  const values = valuesByName(controlling)
  const queryable = queryableFieldsOf(resource, by)
  parseSearch(values.get('q'))
  const limit = parseLimit(values.get('limit'))
  const aggregation = isGrouped ? parseAggregation(queryable, values) : undefined
  const order = parseSort(queryable, aggregation ? undefined : values.get('sort'))
  const { fields, embeds, members } = parseSelection(queryable, values)
  return {
    resource,
    within,
    queryable,
    limit,
    order,
    fields,
    embeds,
    members,
    filter: { kind: 'all', of: parseFilters(queryable, filters, names) },
    search: values.get('q'),
    aggregation,
    cursor: findCursor(values),
    linkParameters,
  }
}

/** Splits the parameters into filters and controls, and finds those for links: all but cursors. */
function classifyParameters(parameters: readonly QueryParameter[], names: readonly string[]) {
  const filters: QueryParameter[] = []
  const controlling: QueryParameter[] = []
  const linkParameters: QueryParameter[] = []
  for (const parameter of parameters) {
    const [name] = parameter
    if (names.includes(name)) controlling.push(parameter)
    else filters.push(parameter)
    if (name !== 'after' && name !== 'before') linkParameters.push(parameter)
  }
  return { filters, controlling, linkParameters }
}

/** The complete query, with the filter of a QUERY if there is one; refuses 400 and 422. */
export function createListQuery(
  parameters: ListParameters,
  content: { readonly body: unknown } | undefined,
  cursors: CursorCodec,
): ListQuery {
  const { filter: parameterFilter, limit, order, fields, embeds, aggregation, linkParameters } = parameters
  const filter: Filter = content
    ? { kind: 'all', of: [parameterFilter, bodyFilter(parameters, content.body)] }
    : parameterFilter
  const listKey = formatListKey(parameters, filter)
  return {
    limit,
    order,
    fields,
    embeds,
    condition: all([filterCondition(filter), parseSearch(parameters.search)]),
    aggregation,
    pageStart: parsePosition(parameters, listKey, cursors),
    listKey,
    steps: [...leavesOf(filter), ...order].flatMap(({ steps }) => steps),
    derived: [...leavesOf(filter), ...order].flatMap(({ derivedField }) => derivedField ?? []),
    linkParameters,
  }
}

function bodyFilter({ queryable, filter }: ListParameters, body: unknown): Filter {
  return parseQueryBody(queryable, body, leavesOf(filter).length)
}

/** The value of `limit`, or the default; refuses 400. */
export function parseLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > maxLimit) {
    throw invalidParameter('limit', `must be an integer from 1 to ${maxLimit}`)
  }
  return limit
}

function findCursor(values: ReadonlyMap<string, string>): ListParameters['cursor'] {
  const [after, before] = [values.get('after'), values.get('before')]
  if (after !== undefined && before !== undefined) {
    throw invalidParameter('before', "cannot be combined with 'after'")
  }
  if (after !== undefined) return { name: 'after', text: after }
  return before === undefined ? undefined : { name: 'before', text: before }
}

function formatListKey(parameters: ListParameters, filter: Filter): string {
  const { resource, within, order, search: words } = parameters
  const [name, filtered] = [JSON.stringify(within ?? resource.name), JSON.stringify(canonicalFilter(filter))]
  return `[${name},${formatOrder(order)},${filtered},${JSON.stringify(words ?? null)}]`
}

const formatOrder = memoizeByObject((order: readonly SortTerm[]) =>
  JSON.stringify(order.map(({ column, path, through, descending }) => [through ? path : column, descending])),
)

function parsePosition(
  { cursor }: ListParameters,
  listKey: string,
  cursors: CursorCodec,
): ListQuery['pageStart'] {
  if (cursor === undefined) return undefined
  return { backwards: cursor.name === 'before', position: cursors.parse(listKey, cursor.text) }
}

/** The order of the store query, reversed for `before`. */
export function storeOrder({ order, pageStart }: ListQuery): readonly SortTerm[] {
  return pageStart?.backwards ? reverseOrder(order) : order
}

/** The query string of the page after or before a cursor. */
export function formatPageQuery(first: string, name: 'after' | 'before', cursor: string): string {
  // A cursor has no character that needs encoding.
  return first === '' ? `${name}=${cursor}` : `${first}&${name}=${cursor}`
}

/** The position of a row in the order of the list. Values that no column of it holds are at the end of the row. */
export function cursorPosition({ order }: ListQuery, row: Row): readonly Stored[] {
  let next = row.length - order.filter(({ rowIndex }) => rowIndex === undefined).length
  return order.map(({ rowIndex }) => row[rowIndex ?? next++] ?? null)
}

/** The query string of the first page. */
export function formatFirstPageQuery({ linkParameters }: ListQuery): string {
  return formatQueryString(linkParameters)
}
