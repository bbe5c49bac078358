/** Forms that edit an item: they have its original values, so that only changed fields are written. */

import { originalsName } from '../../formats/form-originals.ts'
import { parseFormPairs } from '../../formats/form-reader.ts'
import type { QueryPair } from '../../http/query-string.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import { formActionName } from './action-form.ts'
import { isForm } from './form-key.ts'
import type { UnwrappedRequest } from './form-request.ts'

/** The pairs of a form that edits an item; undefined for other requests. Reads the content of forms. */
export async function findEdit(
  request: UnwrappedRequest,
  content: RequestContent | undefined,
): Promise<readonly QueryPair[] | undefined> {
  if (!request.viaForm || !content || !isForm(request)) return undefined
  const pairs = parseFormPairs(await content.octets())
  const values = new Map(pairs)
  return values.get(formActionName) === 'default' && values.has(originalsName) ? pairs : undefined
}
