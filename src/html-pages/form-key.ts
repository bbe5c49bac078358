/** The key that a page's form carries, by which a reload of its answer has no effect of its own. */

import type { NegotiatedRequest, RequestContent } from '../context/request-context.ts'
import type { HttpRequest } from '../http/message.ts'
import { parseFormPairs } from '../representations/form-reader.ts'
import { formKeyName } from '../representations/html/action-form.ts'
import { mayReturnSecret } from '../respond/cacheability.ts'

export function isForm({ fields }: HttpRequest): boolean {
  const [type = ''] = (fields['content-type'] ?? '').split(';')
  return type.trim().toLowerCase() === 'application/x-www-form-urlencoded'
}

/** Only forms that make something have one. */
export function mayHaveFormKey(
  { method, target }: NegotiatedRequest,
  request: HttpRequest,
): boolean {
  return method === 'POST' && isForm(request) && !mayReturnSecret(target)
}

/** The content is read for it. */
export async function findFormKey(content: RequestContent): Promise<string | undefined> {
  const pairs = parseFormPairs(await content.octets())
  const key = pairs.find(([name]) => name === formKeyName)?.[1]
  return key === undefined || key === '' ? undefined : `"${key.replaceAll(/[^!#-[\]-~]/g, '')}"`
}
