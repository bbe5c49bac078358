/** Whether a field for files takes a media type. */

import { parseMediaType } from '../../http/media-type.ts'

/** `types` are media types and ranges such as `image/*`; a file has a type, not a range. */
export function isAllowedType(types: readonly string[], sent: string): boolean {
  const parsed = parseMediaType(sent)
  if (!parsed || parsed.essence.includes('*')) return false
  return types.some((one) => one === parsed.essence || one === `${parsed.type}/*` || one === '*/*')
}
