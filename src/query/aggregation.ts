/** `group-by=project&aggregate=count,hours.sum`: the items of a list summarised in groups. */

import { didYouMean } from '../definition/name-suggestion.ts'
import { type AggregateTerm, aggregateTermsOf, type GroupTerm, groupTermsOf } from './aggregate-terms.ts'
import { invalidParameter, parseNames, unknownName } from './query-parameter.ts'
import type { QueryableFields } from './queryable-fields.ts'
import { maxSortTerms } from './sort-parameter.ts'

export interface Aggregation {
  readonly groups: readonly GroupTerm[]
  readonly aggregates: readonly AggregateTerm[]
  /** Ends with the groups, so that the order is total. */
  readonly order: readonly MemberOrder[]
}

/** A member of a result row to sort by. */
export interface MemberOrder {
  /** Its place among the groups and the aggregates. */
  readonly at: number
  readonly descending: boolean
}

export const aggregationNames = ['group-by', 'aggregate'] as const
export const maxGroupTerms = 5
export const maxAggregates = 20
/** The most groups in a response, which has no pages. */
export const maxGroups = 1000

/** Parses the aggregation; refuses 400. */
export function parseAggregation(
  queryable: QueryableFields,
  values: ReadonlyMap<string, string>,
): Aggregation {
  refuseListParameters(values)
  const aggregates = parseAggregates(queryable, values.get('aggregate'))
  const groups = parseGroups(queryable, values.get('group-by'))
  const twin = groups.find(({ name }) => aggregates.some((aggregate) => aggregate.name === name))
  if (twin) {
    throw invalidParameter('group-by', `has '${twin.name}', which is also the name of an aggregate`)
  }
  const names = [...groups, ...aggregates].map(({ name }) => name)
  return { groups, aggregates, order: parseOrder(names, groups.length, values.get('sort')) }
}

/** Why a parameter of lists has no meaning here. */
const listParameters: Readonly<Record<string, string>> = {
  limit: 'All groups are in one response.',
  after: 'All groups are in one response.',
  before: 'All groups are in one response.',
  fields: "Choose the members of the result with 'group-by' and 'aggregate'.",
  embed: 'Groups have no references to embed.',
}

function refuseListParameters(values: ReadonlyMap<string, string>): void {
  for (const [name, reason] of Object.entries(listParameters)) {
    if (values.has(name)) {
      throw invalidParameter(name, 'has no meaning for groups', reason)
    }
  }
}

function parseGroups({ attributes }: QueryableFields, value: string | undefined): readonly GroupTerm[] {
  if (value === undefined) return []
  const names = parseNames('group-by', value)
  if (names.length > maxGroupTerms) {
    throw invalidParameter('group-by', `has more than ${maxGroupTerms} names`)
  }
  const known = groupTermsOf(attributes)
  return names.map((name) => {
    const term = known.get(name)
    if (term) return term
    const [field = '', part] = name.split('.')
    if (!attributes.has(field))
      throw unknownName('group-by', `Unknown field '${name}'.`, didYouMean(name, known.keys()))
    if (part === undefined) throw invalidParameter('group-by', `has '${name}', which cannot be grouped by`)
    const hint = didYouMean(name, termsOf(known, field)) ?? timeHint
    throw unknownName('group-by', `Unknown group '${name}'.`, hint)
  })
}

const timeHint = "Only times have parts: 'year', 'month' and 'day'."

function parseAggregates(
  { attributes }: QueryableFields,
  value: string | undefined,
): readonly AggregateTerm[] {
  if (value === undefined) {
    throw invalidParameter(
      'aggregate',
      'is missing',
      'To count the items of each group, add aggregate=count.',
    )
  }
  const names = parseNames('aggregate', value)
  if (names.length > maxAggregates) {
    throw invalidParameter('aggregate', `has more than ${maxAggregates} names`)
  }
  const known = aggregateTermsOf(attributes)
  return names.map((name) => {
    const term = known.get(name)
    if (term) return term
    const field = name.split('.', 1).join()
    const own = termsOf(known, field)
    const expected = own.length > 0 ? `Expected: ${own.join(', ')}.` : numberHint
    const hint = attributes.has(field) ? (didYouMean(name, own) ?? expected) : didYouMean(name, known.keys())
    throw unknownName('aggregate', `Unknown aggregate '${name}'.`, hint)
  })
}

const numberHint = "Numbers have 'sum', 'avg', 'min' and 'max', times 'min' and 'max'. 'count' counts items."

/** The names of the terms of a field. */
function termsOf(known: ReadonlyMap<string, unknown>, field: string): readonly string[] {
  return [...known.keys()].filter((name) => name.startsWith(`${field}.`))
}

/** The order of the rows: as the client asks, then by the groups, ascending. */
function parseOrder(
  members: readonly string[],
  groups: number,
  value: string | undefined,
): readonly MemberOrder[] {
  const byGroups = Array.from({ length: groups }, (_, at) => ({ at, descending: false }))
  if (value === undefined) return byGroups
  const terms = parseNames('sort', value).map((name) => {
    const descending = name.startsWith('-')
    const member = descending ? name.slice(1) : name
    const at = members.indexOf(member)
    if (at >= 0) return { at, descending }
    const detail = `'${member}' is neither in 'group-by' nor in 'aggregate'.`
    throw unknownName('sort', detail, didYouMean(member, members))
  })
  if (terms.length > maxSortTerms) throw invalidParameter('sort', `has more than ${maxSortTerms} names`)
  if (new Set(terms.map(({ at }) => at)).size < terms.length) throw invalidParameter('sort', 'repeats a name')
  return [...terms, ...byGroups]
}
