/** The key that a page's form carries, by which a reload of its answer has no effect of its own. */

import type { HttpRequest } from '../../http/message.ts'
import { parseFormPairs } from '../../representations/form-reader.ts'
import { keyName } from '../../representations/html/form.ts'
import { bearsSecrets } from '../cacheability.ts'
import type { AdmittedContent } from '../content.ts'
import type { Asked } from '../errand.ts'

export function isForm({ fields }: HttpRequest): boolean {
  const [type = ''] = (fields['content-type'] ?? '').split(';')
  return type.trim().toLowerCase() === 'application/x-www-form-urlencoded'
}

/** Only of forms that make something; the content is read for it. */
export async function findFormKey(
  { method, target }: Asked,
  request: HttpRequest,
  content: AdmittedContent | undefined,
): Promise<string | undefined> {
  if (method !== 'POST' || !content || !isForm(request) || bearsSecrets(target)) return undefined
  const pairs = parseFormPairs(await content.octets())
  const key = pairs.find(([name]) => name === keyName)?.[1]
  return key === undefined || key === '' ? undefined : `"${key.replaceAll(/[^!#-[\]-~]/g, '')}"`
}
