/** `sort=-createdAt,title`: the order of a list, which is always total. */

import { shownChange } from '../access/shown-change.ts'
import { type AggregateDerivedModel, hasOrder, type ResourceModel } from '../definition/model.ts'
import { splitPath } from '../definition/rule.ts'
import type { Order } from '../store/store.ts'
import { memoizeByObject, memoizeByText } from '../tools/memoize.ts'
import { type PathStep, parseSteps, resolveValuePath, type ValuePath } from './path.ts'
import { invalidParameter, parseNames, unknownName } from './query-parameter.ts'
import {
  createAttributes,
  idAttribute,
  type QueryableFields,
  type ValueAttribute,
} from './queryable-fields.ts'

/** One term of the order. */
export interface SortTerm extends Order {
  /** The name or path that clients use for it. */
  readonly path: string
  /** The index of its value in a row; undefined where no column of the row holds it. */
  readonly rowIndex: number | undefined
  /** The steps to the item that has its value. */
  readonly steps: readonly PathStep[]
  /** Set for a derived field. */
  readonly derivedField: AggregateDerivedModel | undefined
}

export const maxSortTerms = 5

/** Parses the order; the default order of the resource if the parameter is absent. The id breaks ties. */
export function parseSort(queryable: QueryableFields, value: string | undefined): readonly SortTerm[] {
  return value === undefined ? defaultOrder(queryable) : sortCache(queryable)(value)
}

/** By the declared fields, which every reader sees, then by id; ascending by id where none are declared. */
const defaultOrder = memoizeByObject(({ resource, rights }: QueryableFields): readonly SortTerm[] => {
  const attributes = createAttributes(resource, resource.fields, shownChange(rights))
  const terms: SortTerm[] = []
  for (const { name, descending } of resource.presentation.defaultSort) {
    // The definition was checked: the attribute exists and can be sorted by.
    const attribute = attributes.get(name)!
    terms.push(createTerm({ steps: [], attribute, derived: undefined }, name, descending))
    if (attribute.isTotalOrder) return terms
  }
  return [...terms, ...orderById(resource)]
})

const orderById = memoizeByObject((resource: ResourceModel): readonly SortTerm[] => [
  createTerm({ steps: [], attribute: idAttribute(resource), derived: undefined }, 'id', false),
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
    const path = descending ? name.slice(1) : name
    const sorted = requireSortable(queryable, path)
    const term = createTerm(sorted, path, descending)
    if (terms.some((other) => isSameValue(other, term))) throw invalidParameter('sort', 'repeats a field')
    terms.push(term)
    // A unique attribute orders the rows totally.
    if (sorted.attribute.isTotalOrder && sorted.steps.length === 0) return terms
  }
  return [...terms, ...orderById(queryable.resource)]
}

function createTerm({ steps, attribute, derived }: ValuePath, path: string, descending: boolean): SortTerm {
  const { column, rowIndex } = attribute
  const derivedField = attribute.derivedField
  const own = {
    path,
    column,
    descending,
    steps,
    derived,
    derivedField,
    rowIndex: derived ? undefined : rowIndex,
  }
  if (steps.length === 0) return own
  const through = steps.map(({ relation, condition }) => ({ reference: relation.field.name, condition }))
  return { ...own, rowIndex: undefined, through }
}

/** `id` and the key field are the same column. */
function isSameValue(one: SortTerm, other: SortTerm): boolean {
  const [from, to] = [one, other].map(({ path, column }) =>
    [...splitPath(path).slice(0, -1), column].join('.'),
  )
  return from === to
}

function requireSortable(queryable: QueryableFields, path: string): ValuePath {
  const names = parseSteps(path)
  if ('kind' in names) throw invalidParameter('sort', names.reason)
  const found = resolveValuePath(queryable, names)
  if ('kind' in found) throw unknownName('sort', `Unknown field '${path}'.`, found.hint)
  const several = found.steps.find(({ relation }) => relation.kind !== 'reference')
  if (several) throw invalidParameter('sort', severalItems(path, several.relation.name))
  const isReadable = found.steps.every(({ relation }) => relation.field.filterable)
  if (isReadable && isSortable(found.attribute)) return found
  throw invalidParameter('sort', `has '${path}', which ${queryable.resource.name} cannot be sorted by`)
}

function severalItems(path: string, name: string): string {
  return `has '${path}', but '${name}' leads to several items. Sort by a field of the item or of one that it refers to`
}

/** Whether lists can be sorted by the attribute. */
export function isSortable(attribute: ValueAttribute): boolean {
  const { field, filterable } = attribute
  return filterable && (field === undefined || hasOrder(field))
}

/** The reverse order. */
export const reverseOrder = memoizeByObject((order: readonly SortTerm[]): readonly SortTerm[] =>
  order.map((term) => ({ ...term, descending: !term.descending })),
)
