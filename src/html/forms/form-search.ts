/** Forms in which a person searches for the items that references can have, without script. */

import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import { parseFormPairs } from '../../formats/form-reader.ts'
import type { QueryPair } from '../../http/query-string.ts'
import { refuse } from '../../refusal.ts'
import { formResource } from '../../requests/context/target.ts'
import type { Plan } from '../../requests/perform-method.ts'
import { isForm } from './form-key.ts'
import { searchPrefix } from './reference-control.ts'

/**
 * The plan with a content that is refused with 422 where the form has a text to search for: the page of the refusal shows
 * what was found.
 */
export function withFinishedSearch(plan: Plan): Plan {
  const { content, request, context } = plan
  const resource = formResource(context.target)
  if (!resource || !content || !isForm(request)) return plan
  const read = async () => {
    requireFinishedSearch(resource, parseFormPairs(await content.octets()))
    return content.read()
  }
  return { ...plan, content: { ...content, read } }
}

function requireFinishedSearch(resource: ResourceModel, pairs: readonly QueryPair[]): void {
  if (findSearches(resource, pairs).size === 0) return
  throw refuse('invalid-content', {
    detail: 'The form searches for items. Choose among those that were found, then send it again.',
  })
}

/** The texts to search for, by the reference whose items are searched. */
export function findSearches(
  { fields }: Pick<ResourceModel, 'fields'>,
  pairs: readonly QueryPair[],
): ReadonlyMap<FieldModel, string> {
  const searches = new Map<FieldModel, string>()
  for (const [name, text] of pairs) {
    const field = fields.find((one) => name === `${searchPrefix}${one.name}`)
    if ((field?.ref || field?.refs) && text.trim() !== '') searches.set(field, text)
  }
  return searches
}
