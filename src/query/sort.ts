/** `sort=-createdAt,title`: the order of a list, always a total one. */

import type { ResourceModel } from '../declare/model.ts'
import { didYouMean } from '../declare/suggestion.ts'
import { oncePer, rememberingTexts } from '../once.ts'
import type { Order } from '../store/store.ts'
import { invalidParameter, namesIn, unknownIn } from './parameter.ts'
import { type Attribute, idAttribute, type Sight } from './sight.ts'

/** One column of the order, and where its value stands in a Row. */
export interface SortTerm extends Order {
  readonly at: number
}

export const mostTerms = 5

/** Without the parameter: ascending by id. Ties are broken by id, ascending. */
export function parseSort(sight: Sight, value: string | undefined): readonly SortTerm[] {
  return value === undefined ? orderById(sight.resource) : sortsIn(sight)(value)
}

const orderById = oncePer((resource: ResourceModel): readonly SortTerm[] => [
  termOf(idAttribute(resource), false),
])

const sortsIn = oncePer((sight: Sight) => rememberingTexts((value) => readSort(sight, value)))

function readSort(sight: Sight, value: string): readonly SortTerm[] {
  const names = namesIn('sort', value)
  if (names.length > mostTerms)
    throw invalidParameter('sort', `names more than ${mostTerms} fields`)
  const terms: SortTerm[] = []
  for (const name of names) {
    const descending = name.startsWith('-')
    const attribute = sortable(sight, descending ? name.slice(1) : name)
    if (terms.some((term) => term.column === attribute.column)) {
      throw invalidParameter('sort', 'names a field twice')
    }
    terms.push(termOf(attribute, descending))
    // Nothing is left to order among records of which no two agree.
    if (attribute.total) return terms
  }
  return [...terms, ...orderById(sight.resource)]
}

function termOf({ column, at }: Attribute, descending: boolean): SortTerm {
  return { column, at, descending }
}

function sortable({ resource, attributes }: Sight, name: string): Attribute {
  const attribute = attributes.get(name)
  if (!attribute) {
    const hint = didYouMean(name, attributes.keys())
    throw unknownIn('sort', `No field '${name}' to sort by.`, hint)
  }
  if (isSortable(attribute)) return attribute
  throw invalidParameter('sort', `names '${name}', by which ${resource.name} cannot be sorted`)
}

export function isSortable(attribute: Attribute): boolean {
  return attribute.filterable && hasOrder(attribute)
}

/** A reference to a keyed resource shows another value than it holds, and would seem unsorted. */
function hasOrder({ kind, field }: Attribute): boolean {
  if (kind === 'list' || kind === 'json' || kind === 'password') return false
  return field?.ref === undefined || field.shownAt === field.at
}

/** The order of the same list from its end. */
export const reversed = oncePer((order: readonly SortTerm[]): readonly SortTerm[] =>
  order.map((term) => ({ ...term, descending: !term.descending })),
)
