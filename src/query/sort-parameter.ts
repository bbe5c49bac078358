/** `sort=-createdAt,title`: the order of a list, which is always total. */

import type { ResourceModel } from '../definition/model.ts'
import { didYouMean } from '../definition/name-suggestion.ts'
import type { Order } from '../store/store.ts'
import { memoizeByObject, memoizeByText } from '../tools/memoize.ts'
import { invalidParameter, parseNames, unknownName } from './query-parameter.ts'
import { type Attribute, idAttribute, type QueryableFields } from './queryable-fields.ts'

/** One column of the order, and the index of its value in a row. */
export interface SortTerm extends Order {
  readonly at: number
}

export const maxSortTerms = 5

/** Parses the order; ascending by id if the parameter is absent. The id breaks ties. */
export function parseSort(queryable: QueryableFields, value: string | undefined): readonly SortTerm[] {
  return value === undefined ? orderById(queryable.resource) : sortCache(queryable)(value)
}

const orderById = memoizeByObject((resource: ResourceModel): readonly SortTerm[] => [
  createTerm(idAttribute(resource), false),
])

const sortCache = memoizeByObject((queryable: QueryableFields) =>
  memoizeByText((value) => parseSortTerms(queryable, value)),
)

function parseSortTerms(queryable: QueryableFields, value: string): readonly SortTerm[] {
  const names = parseNames('sort', value)
  if (names.length > maxSortTerms) throw invalidParameter('sort', `has more than ${maxSortTerms} fields`)
  const terms: SortTerm[] = []
  for (const name of names) {
    const descending = name.startsWith('-')
    const attribute = requireSortable(queryable, descending ? name.slice(1) : name)
    if (terms.some((term) => term.column === attribute.column)) {
      throw invalidParameter('sort', 'repeats a field')
    }
    terms.push(createTerm(attribute, descending))
    // A unique attribute orders the rows totally.
    if (attribute.total) return terms
  }
  return [...terms, ...orderById(queryable.resource)]
}

function createTerm({ column, at }: Attribute, descending: boolean): SortTerm {
  return { column, at, descending }
}

function requireSortable({ resource, attributes }: QueryableFields, name: string): Attribute {
  const attribute = attributes.get(name)
  if (!attribute) {
    const hint = didYouMean(name, attributes.keys())
    throw unknownName('sort', `Unknown field '${name}'.`, hint)
  }
  if (isSortable(attribute)) return attribute
  throw invalidParameter('sort', `has '${name}', which ${resource.name} cannot be sorted by`)
}

/** Whether lists can be sorted by the attribute. */
export function isSortable(attribute: Attribute): boolean {
  return attribute.filterable && hasOrder(attribute)
}

/** A reference to a keyed resource stores another value than it shows, so it would seem unsorted. */
function hasOrder({ kind, field }: Attribute): boolean {
  if (kind === 'list' || kind === 'json' || kind === 'password') return false
  return field?.ref === undefined || field.shownIndex === field.index
}

/** The reverse order. */
export const reverseOrder = memoizeByObject((order: readonly SortTerm[]): readonly SortTerm[] =>
  order.map((term) => ({ ...term, descending: !term.descending })),
)
