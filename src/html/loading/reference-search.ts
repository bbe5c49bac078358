/** How the items that a reference can have are found by the text that a person types. */

import type { Principal } from '../../access/principal.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import { parseText } from '../../query/comparison.ts'
import { parseLeaf } from '../../query/filter.ts'
import { queryableFieldsOf } from '../../query/queryable-fields.ts'
import { all, any, type Condition } from '../../store/condition.ts'
import { splitWords } from '../../store/search-words.ts'
import { titleFields } from '../../views/item-title.ts'

/** The first text of the titles that the caller sees on every item and may filter by. */
export function findSearchableTitle(resource: ResourceModel, caller: Principal): FieldModel | undefined {
  return searchedPaths(resource, caller).find(({ path: [, further], isText }) => isText && !further)?.path[0]
}

/** Whether the caller can search for items: by their titles, or in the fields of the full-text search. */
export function canSearch(resource: ResourceModel, caller: Principal): boolean {
  return resource.search.length > 0 || searchedPaths(resource, caller).length > 0
}

interface SearchedPath {
  /** A field, or a reference and the field of its item. */
  readonly path: readonly [FieldModel, ...FieldModel[]]
  /** Whether a part of its text is enough. */
  readonly isText: boolean
}

/** The fields of the titles that the caller sees on every item and may filter by. */
function searchedPaths(resource: ResourceModel, caller: Principal): readonly SearchedPath[] {
  const isSearched = (field: FieldModel, within: ResourceModel) =>
    queryableFieldsOf(within, { caller }).attributes.get(field.name)?.filterable === true
  return titleFields(resource).flatMap(({ field, of }): readonly SearchedPath[] => {
    const isText = (of ?? field).kind.operators === 'text'
    if (!isSearched(field, resource)) return []
    if (!of || !field.ref) return [{ path: [field], isText }]
    return isSearched(of, field.ref.resource) ? [{ path: [field, of], isText }] : []
  })
}

const maxWords = 20

/** Each word is in a field of the title. Undefined where the caller cannot search, or the text has no word. */
export function titleSearch(resource: ResourceModel, caller: Principal, text: string): Condition | undefined {
  const paths = searchedPaths(resource, caller)
  const words = text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, maxWords)
  const inTitle = words.map((word) => any(paths.flatMap((one) => comparisons(resource, caller, one, word))))
  // The full-text search has an index, and the comparisons then leave out matches in other fields.
  const isIndexed = paths.every(({ path: [field, further] }) => !further && resource.search.includes(field))
  const searched = isIndexed && resource.search.length > 0 ? splitWords(text).slice(0, maxWords) : []
  const found: readonly Condition[] = searched.length > 0 ? [{ kind: 'search', words: searched }] : []
  if (paths.length === 0) return found[0]
  return words.length > 0 ? all([...found, ...inTitle]) : undefined
}

/** The comparison with a word; none where no such value can be compared. */
function comparisons(
  resource: ResourceModel,
  caller: Principal,
  { path, isText }: SearchedPath,
  word: string,
): readonly Condition[] {
  const leaf = parseLeaf(queryableFieldsOf(resource, { caller }), {
    path: path.map(({ name }) => name).join('.'),
    operator: isText ? 'contains' : 'eq',
    text: word,
    values: (attribute) => {
      const reading = parseText(attribute, word)
      return 'expected' in reading ? reading : { value: [reading.value] }
    },
  })
  return leaf.kind === 'leaf' ? [leaf.condition] : []
}
