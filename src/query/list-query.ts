/** What the client asked to see of a collection: the query string, parsed once into a tree. */

import type { Principal } from '../access/principal.ts'
import type { ResourceModel, Stored } from '../definition/model.ts'
import { formatQueryString } from '../http/query-string.ts'
import { all, type Condition } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { CursorCodec } from './cursor.ts'
import { canonicalFilter, type Filter, filterCondition, flatLeaves, leavesOf } from './filter.ts'
import { parseFilters } from './filter-parameters.ts'
import { type ItemSelection, parseSelection } from './item-query.ts'
import { parseQueryBody } from './query-body.ts'
import {
  invalidParameter,
  parseAllParameters,
  type QueryParameter,
  valuesByName,
} from './query-parameter.ts'
import { type QueryableFieldsOf, queryableFieldsFor } from './queryable-fields.ts'
import { parseSearch } from './search-parameter.ts'
import { parseSort, reverseOrder, type SortTerm } from './sort-parameter.ts'

/** What the parameters say, before the content of a QUERY is known. */
export interface ListParameters extends ItemSelection {
  readonly resource: ResourceModel
  readonly queryableFields: QueryableFieldsOf
  readonly limit: number
  readonly order: readonly SortTerm[]
  readonly filter: Filter
  readonly search: string | undefined
  readonly cursor: { readonly name: 'after' | 'before'; readonly text: string } | undefined
  /** As they were sent, but for cursors, so that links can keep them. */
  readonly linkParameters: readonly QueryParameter[]
}

export interface ListQuery extends ItemSelection {
  readonly limit: number
  readonly order: readonly SortTerm[]
  /** What the filter asks, whatever the caller may read. */
  readonly condition: Condition
  /** The position to go on from, forwards or backwards; undefined at the beginning. */
  readonly from: { readonly backwards: boolean; readonly position: readonly Stored[] } | undefined
  /** Names the collection, order and filter, whoever asks: what a cursor is good for. */
  readonly listKey: string
  /** The other resources that decide which records are in it. */
  readonly through: readonly ResourceModel[]
  /** The parameters that ask the same by GET, but for cursors; undefined where none can. */
  readonly getParameters: readonly QueryParameter[] | undefined
  /** The parameters that links keep. */
  readonly linkParameters: readonly QueryParameter[]
}

export const controlNames = ['limit', 'after', 'before', 'sort', 'fields', 'embed', 'format']
const searchControlNames = [...controlNames, 'q']
export const defaultLimit = 50
export const maxLimit = 1000

/** Refuses 400. */
export function parseListParameters(
  resource: ResourceModel,
  caller: Principal,
  query: string | undefined,
): ListParameters {
  const parameters = parseAllParameters(query)
  const names = resource.search.length > 0 ? searchControlNames : controlNames
  const { filters, controlling, kept } = classifyParameters(parameters, names)
  const values = valuesByName(controlling)
  const queryableFields = queryableFieldsFor(caller)
  const queryable = queryableFields(resource)
  parseSearch(values.get('q'))
  const limit = parseLimit(values.get('limit'))
  const order = parseSort(queryable, values.get('sort'))
  const { fields, embeds } = parseSelection(queryableFields, queryable, values)
  return {
    resource,
    queryableFields,
    limit,
    order,
    fields,
    embeds,
    filter: { kind: 'all', of: parseFilters(queryableFields, resource, filters, names) },
    search: values.get('q'),
    cursor: findCursor(values),
    linkParameters: kept,
  }
}

/** Those that filter, those that control what else is shown, and all but cursors. */
function classifyParameters(parameters: readonly QueryParameter[], names: readonly string[]) {
  const filters: QueryParameter[] = []
  const controlling: QueryParameter[] = []
  const kept: QueryParameter[] = []
  for (const parameter of parameters) {
    const [name] = parameter
    if (names.includes(name)) controlling.push(parameter)
    else filters.push(parameter)
    if (name !== 'after' && name !== 'before') kept.push(parameter)
  }
  return { filters, controlling, kept }
}

/** The whole question, with the content of a QUERY where there is one. Refuses 400, 422. */
export function createListQuery(
  parameters: ListParameters,
  content: { readonly body: unknown } | undefined,
  cursors: CursorCodec,
): ListQuery {
  const { filter: own, limit, order, fields, embeds, linkParameters: kept } = parameters
  const filter: Filter = content
    ? { kind: 'all', of: [own, bodyFilter(parameters, content.body)] }
    : own
  const list = formatListKey(parameters, filter)
  const equivalent = content ? findGetParameters(parameters, filter) : kept
  return {
    limit,
    order,
    fields,
    embeds,
    condition: all([filterCondition(filter), parseSearch(parameters.search)]),
    from: parsePosition(parameters, list, cursors),
    listKey: list,
    through: referencedResources(filter),
    getParameters: equivalent,
    linkParameters: equivalent ?? kept,
  }
}

function referencedResources(filter: Filter): readonly ResourceModel[] {
  const further = leavesOf(filter).filter((leaf) => leaf.through.length > 0)
  return further.length === 0 ? [] : [...new Set(further.flatMap((leaf) => leaf.through))]
}

function bodyFilter({ queryableFields, resource, filter }: ListParameters, body: unknown): Filter {
  return parseQueryBody({ queryableFields, resource, conditions: leavesOf(filter).length }, body)
}

function parseLimit(text: string | undefined): number {
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
    throw invalidParameter('before', "cannot be given together with 'after'")
  }
  if (after !== undefined) return { name: 'after', text: after }
  return before === undefined ? undefined : { name: 'before', text: before }
}

function formatListKey({ resource, order, search: words }: ListParameters, filter: Filter): string {
  const [name, filtered] = [JSON.stringify(resource.name), JSON.stringify(canonicalFilter(filter))]
  return `[${name},${formatOrder(order)},${filtered},${JSON.stringify(words ?? null)}]`
}

const formatOrder = memoizeByObject((order: readonly SortTerm[]) =>
  JSON.stringify(order.map(({ column, descending }) => [column, descending])),
)

function parsePosition(
  { cursor }: ListParameters,
  list: string,
  cursors: CursorCodec,
): ListQuery['from'] {
  if (cursor === undefined) return undefined
  return { backwards: cursor.name === 'before', position: cursors.parse(list, cursor.text) }
}

/** Where all must hold, each comparison is a parameter; a comparison that is there stays once. */
function findGetParameters(
  { linkParameters: kept }: ListParameters,
  filter: Filter,
): readonly QueryParameter[] | undefined {
  const leaves = flatLeaves(filter)
  if (!leaves || leaves.length === 0) return leaves && kept
  const filters = new Map(leaves.map(({ parameter }) => [JSON.stringify(parameter), parameter]))
  const names = new Set(controlNames).add('q')
  const equivalent = [...kept.filter(([name]) => names.has(name)), ...filters.values()]
  return formatQueryString(equivalent).length > maxGetQueryLength ? undefined : equivalent
}

/** In octets: a longer query leaves too little room for a cursor in the links to other pages. */
const maxGetQueryLength = 4096

/** The order in which the store is asked: backwards from a `before`. */
export function storeOrder({ order, from }: ListQuery): readonly SortTerm[] {
  return from?.backwards ? reverseOrder(order) : order
}

/** The query of the first page made into that of what comes after a cursor, or before it. */
export function formatPageQuery(first: string, name: 'after' | 'before', cursor: string): string {
  // A cursor has no character that would be encoded.
  return first === '' ? `${name}=${cursor}` : `${first}&${name}=${cursor}`
}

/** Where a row stands in the order. */
export function cursorPosition({ order }: ListQuery, row: Row): readonly Stored[] {
  return order.map(({ at }) => row[at] ?? null)
}

export function formatFirstPageQuery({ linkParameters: kept }: ListQuery): string {
  return formatQueryString(kept)
}
