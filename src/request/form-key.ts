/** Form keys: the idempotency key that an HTML form has in its content, so that a reload has no second effect. */

import type { RequestContent } from '../context/request-content.ts'
import type { NegotiatedRequest } from '../context/request-context.ts'
import type { HttpRequest } from '../http/message.ts'
import { formDataType } from '../http/multipart.ts'
import { parseFormPairs } from '../representations/form-reader.ts'
import { formKeyName } from '../representations/html/action-form.ts'
import { mayReturnSecret } from '../respond/cacheability.ts'

/** Whether the content is an HTML form. */
export function isForm({ fields }: HttpRequest): boolean {
  const [type = ''] = (fields['content-type'] ?? '').split(';')
  return formTypes.has(type.trim().toLowerCase())
}

const formTypes: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', formDataType])

/** Whether the content may have a form key: only forms that create an item have one. */
export function mayHaveFormKey({ method, target }: NegotiatedRequest, request: HttpRequest): boolean {
  return method === 'POST' && isForm(request) && !mayReturnSecret(target) && target.kind !== 'file'
}

/** The form key as the value of a structured field; reads the content. */
export async function findFormKey(content: RequestContent): Promise<string | undefined> {
  const pairs = parseFormPairs(await content.octets())
  const key = pairs.find(([name]) => name === formKeyName)?.[1]
  return key === undefined || key === '' ? undefined : `"${key.replaceAll(/[^!#-[\]-~]/g, '')}"`
}
