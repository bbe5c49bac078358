/** How the items that a reference can have are found by the text that a person types. */

import type { Principal } from '../../access/principal.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import { createComparison } from '../../query/comparison.ts'
import { parseText } from '../../query/comparison-value.ts'
import { type Attribute, queryableFieldsFor } from '../../query/queryable-fields.ts'
import { all, any, type Condition } from '../../store/condition.ts'
import { splitWords } from '../../store/search-words.ts'
import { titleFields } from '../../views/item-title.ts'

/** The first text of the titles that the caller sees on every item and may filter by. */
export function findSearchableTitle(resource: ResourceModel, caller: Principal): FieldModel | undefined {
  return searchedAttributes(resource, caller).find(({ field }) => field?.kind.operators === 'text')?.field
}

/** Whether the caller can search for items: by their titles, or in the fields of the full-text search. */
export function canSearch(resource: ResourceModel, caller: Principal): boolean {
  return resource.search.length > 0 || searchedAttributes(resource, caller).length > 0
}

/** The fields of the titles that the caller sees on every item and may filter by. */
function searchedAttributes(resource: ResourceModel, caller: Principal): readonly Attribute[] {
  const { attributes } = queryableFieldsFor(caller)(resource)
  return titleFields(resource).flatMap(({ field }) => {
    const attribute = attributes.get(field.name)
    return attribute?.filterable ? [attribute] : []
  })
}

const maxWords = 20

/** Each word is in a field of the title. Undefined where the caller cannot search, or the text has no word. */
export function titleSearch(resource: ResourceModel, caller: Principal, text: string): Condition | undefined {
  const attributes = searchedAttributes(resource, caller)
  const words = text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, maxWords)
  const inTitle = words.map((word) => any(attributes.flatMap((attribute) => comparisons(attribute, word))))
  // The full-text search has an index, and the comparisons then leave out matches in other fields.
  const isIndexed = attributes.every(({ field }) => field && resource.search.includes(field))
  const searched = isIndexed && resource.search.length > 0 ? splitWords(text).slice(0, maxWords) : []
  const found: readonly Condition[] = searched.length > 0 ? [{ kind: 'search', words: searched }] : []
  if (attributes.length === 0) return found[0]
  return words.length > 0 ? all([...found, ...inTitle]) : undefined
}

/** The comparison of a field with a word; none where the field cannot have it. */
function comparisons(attribute: Attribute, word: string): readonly Condition[] {
  const operator = operatorFor(attribute)
  const value = parseText(attribute, word)
  const comparison = 'expected' in value ? value : createComparison(attribute, operator, [value.value])
  return 'expected' in comparison ? [] : [comparison.value]
}

function operatorFor({ kind }: Attribute): 'contains' | 'eq' {
  return kind !== 'identity' && kind.operators === 'text' ? 'contains' : 'eq'
}
