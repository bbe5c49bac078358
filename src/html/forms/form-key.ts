/** Form keys: the idempotency key that an HTML form has in its content, so that a reload has no second effect. */

import { hash } from 'node:crypto'
import { parseFormPairs } from '../../formats/form-reader.ts'
import type { HttpRequest } from '../../http/message.ts'
import { formDataType } from '../../http/multipart.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import { formKeyName } from './action-form.ts'

/** Whether the content is an HTML form. */
export function isForm(request: Pick<HttpRequest, 'fields'>): boolean {
  return isFormWithoutFiles(request) || mediaTypeOf(request) === formDataType
}

export function isFormWithoutFiles(request: Pick<HttpRequest, 'fields'>): boolean {
  return mediaTypeOf(request) === 'application/x-www-form-urlencoded'
}

/** Without parameters: scripts send a charset. */
function mediaTypeOf({ fields }: Pick<HttpRequest, 'fields'>): string {
  const [type = ''] = (fields['content-type'] ?? '').split(';')
  return type.trim().toLowerCase()
}

/**
 * The idempotency key of a form; undefined where the form has no key. It is a hash of the key in the form with all that
 * is sent: a form that a person sends again with other values is a new request.
 */
export async function findFormKey(content: RequestContent): Promise<string | undefined> {
  // With digests in place of files, and without the boundary, which differs each time a form is sent.
  const octets = await content.octets()
  const key = parseFormPairs(octets).find(([name]) => name === formKeyName)?.[1]
  return key ? `"${hash('sha256', octets, 'hex')}"` : undefined
}
