/** What the client asked to see of a collection: the query string, parsed once into a frozen tree. */

import type { Principal } from '../access/principal.ts'
import type { ResourceModel, Stored } from '../declare/model.ts'
import { formatQueryString } from '../http/query-string.ts'
import { all, type Condition } from '../store/condition.ts'
import type { Row } from '../store/store.ts'
import type { CursorSeal } from './cursor.ts'
import { canonicalFilter, type Filter, filterCondition, flatLeaves, leavesOf } from './filter.ts'
import { parseFilters } from './filter-parameters.ts'
import { parseShowing, type Showing } from './item-query.ts'
import { invalidParameter, type Parameter, readParameters, valuesOnce } from './parameter.ts'
import { parseQueryBody } from './query-body.ts'
import { type SightOf, sightsOf } from './sight.ts'
import { parseSort, reversed, type SortTerm } from './sort.ts'
import { parseWords } from './words.ts'

/** What the parameters say, before the content of a QUERY is known. */
export interface ListParameters extends Showing {
  readonly resource: ResourceModel
  readonly sightOf: SightOf
  readonly limit: number
  readonly order: readonly SortTerm[]
  readonly filter: Filter
  readonly words: string | undefined
  readonly cursor: { readonly name: 'after' | 'before'; readonly text: string } | undefined
  /** As they were sent, but for cursors, so that links can keep them. */
  readonly kept: readonly Parameter[]
}

export interface ListQuery extends Showing {
  readonly limit: number
  readonly order: readonly SortTerm[]
  /** What the filter asks, whatever the caller may read. */
  readonly condition: Condition
  /** The position to go on from, forwards or backwards; undefined at the beginning. */
  readonly from: { readonly backwards: boolean; readonly position: readonly Stored[] } | undefined
  /** Names the collection, order and filter, whoever asks: what a cursor is good for. */
  readonly list: string
  /** The other resources that decide which records are in it. */
  readonly through: readonly ResourceModel[]
  /** The parameters that ask the same by GET, but for cursors; undefined where none can. */
  readonly equivalent: readonly Parameter[] | undefined
  /** The parameters that links keep. */
  readonly kept: readonly Parameter[]
}

export const controls = ['limit', 'after', 'before', 'sort', 'fields', 'embed', 'format']
export const defaultLimit = 50
export const greatestLimit = 1000

/** Refuses 400. */
export function parseListParameters(
  resource: ResourceModel,
  who: Principal,
  query: string | undefined,
): ListParameters {
  const parameters = readParameters(query)
  const names = resource.search.length > 0 ? [...controls, 'q'] : controls
  const values = valuesOnce(parameters.filter(([name]) => names.includes(name)))
  const filters = parameters.filter(([name]) => !names.includes(name))
  const sightOf = sightsOf(who)
  const sight = sightOf(resource)
  parseWords(values.get('q'))
  return {
    resource,
    sightOf,
    limit: parseLimit(values.get('limit')),
    order: parseSort(sight, values.get('sort')),
    ...parseShowing(sightOf, sight, values),
    filter: { kind: 'all', of: parseFilters(sightOf, resource, filters, names) },
    words: values.get('q'),
    cursor: cursorOf(values),
    kept: parameters.filter(([name]) => name !== 'after' && name !== 'before'),
  }
}

/** The whole question, with the content of a QUERY where there is one. Refuses 400, 422. */
export function listQueryOf(
  parameters: ListParameters,
  content: { readonly body: unknown } | undefined,
  cursors: CursorSeal,
): ListQuery {
  const { filter: own, limit, order, fields, embeds, kept } = parameters
  const filter: Filter = content
    ? { kind: 'all', of: [own, bodyFilter(parameters, content.body)] }
    : own
  const list = listName(parameters, filter)
  const equivalent = content ? equivalentParameters(parameters, filter) : kept
  return Object.freeze({
    limit,
    order,
    fields,
    embeds,
    condition: all([filterCondition(filter), parseWords(parameters.words)]),
    from: positionOf(parameters, list, cursors),
    list,
    through: [...new Set(leavesOf(filter).flatMap((leaf) => leaf.through))],
    equivalent,
    kept: equivalent ?? kept,
  })
}

function bodyFilter({ sightOf, resource, filter }: ListParameters, body: unknown): Filter {
  return parseQueryBody({ sightOf, resource, conditions: leavesOf(filter).length }, body)
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > greatestLimit) {
    throw invalidParameter('limit', `must be an integer from 1 to ${greatestLimit}`)
  }
  return limit
}

function cursorOf(values: ReadonlyMap<string, string>): ListParameters['cursor'] {
  const [after, before] = [values.get('after'), values.get('before')]
  if (after !== undefined && before !== undefined) {
    throw invalidParameter('before', "cannot be given together with 'after'")
  }
  if (after !== undefined) return { name: 'after', text: after }
  return before === undefined ? undefined : { name: 'before', text: before }
}

function listName({ resource, order, words }: ListParameters, filter: Filter): string {
  const terms = order.map(({ column, descending }) => [column, descending])
  return JSON.stringify([resource.name, terms, canonicalFilter(filter), words ?? null])
}

function positionOf(
  { cursor }: ListParameters,
  list: string,
  cursors: CursorSeal,
): ListQuery['from'] {
  if (cursor === undefined) return undefined
  return { backwards: cursor.name === 'before', position: cursors.parse(list, cursor.text) }
}

/** Where all must hold, each comparison is a parameter; a comparison that is there stays once. */
function equivalentParameters(
  { kept }: ListParameters,
  filter: Filter,
): readonly Parameter[] | undefined {
  const leaves = flatLeaves(filter)
  if (!leaves || leaves.length === 0) return leaves && kept
  const filters = new Map(leaves.map(({ parameter }) => [JSON.stringify(parameter), parameter]))
  const names = new Set(controls).add('q')
  return [...kept.filter(([name]) => names.has(name)), ...filters.values()]
}

/** The order in which the store is asked: backwards from a `before`. */
export function askedOrder({ order, from }: ListQuery): readonly SortTerm[] {
  return from?.backwards ? reversed(order) : order
}

/** The query that shows what comes after this position, or before it. */
export function pageFrom(
  query: ListQuery,
  name: 'after' | 'before',
  position: readonly Stored[],
  cursors: CursorSeal,
): string {
  const first = firstPage(query)
  // A cursor has no character that would be encoded.
  const cursor = `${name}=${cursors.format(query.list, position)}`
  return first === '' ? cursor : `${first}&${cursor}`
}

/** Where a row stands in the order. */
export function positionIn({ order }: ListQuery, row: Row): readonly Stored[] {
  return order.map(({ at }) => row[at] ?? null)
}

export function firstPage({ kept }: ListQuery): string {
  return formatQueryString(kept)
}
