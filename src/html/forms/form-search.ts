/** Forms in which a person searches for the items that references can have, without script. */

import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import { parseFormPairs } from '../../formats/form-reader.ts'
import type { QueryPair } from '../../http/query-string.ts'
import { refuse } from '../../refusal.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import { formResource, type Target } from '../../requests/context/target.ts'
import { isForm } from './form-key.ts'
import type { UnwrappedRequest } from './form-request.ts'
import { searchPrefix } from './reference-control.ts'

/** Refuses 422 where the form has a text to search for: the page of the refusal shows what was found. */
export async function requireFinishedSearch(
  request: UnwrappedRequest,
  target: Target,
  content: RequestContent | undefined,
): Promise<void> {
  const resource = formResource(target)
  if (!request.viaForm || !resource || !content || !isForm(request)) return
  if (findSearches(resource, parseFormPairs(await content.octets())).size === 0) return
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
