/** Edits in forms on an item that changed after the form was made: merged where no field was changed twice. */

import { parseEntityTags } from '../../http/entity-tag.ts'
import { hasTarget } from '../../requests/context/request-context.ts'
import type { Plan } from '../../requests/perform-method.ts'
import type { CurrentState } from '../../requests/read/current-state.ts'
import { uncodedTag } from '../../requests/read/validators.ts'
import { isSameItem, isSameVersion } from '../../views/opaque-tag.ts'
import { findEdit } from './edit-form.ts'
import { findConflicts } from './form-conflicts.ts'
import type { UnwrappedRequest } from './form-request.ts'

/**
 * The request of the form, for the current version if the edit can be merged with the one that made
 * it; else the request itself, whose precondition then decides.
 */
export async function mergeEdit(
  { request, context, content }: Plan,
  current: CurrentState,
): Promise<UnwrappedRequest> {
  const { 'if-match': match } = request.fields
  if (!request.hasFormMatch || match === undefined) return request
  if (!hasTarget(context, 'item') || current.kind !== 'found' || !current.isReadable) return request
  const tag = uncodedTag(context, current)
  if (tag === undefined || !isOlderVersion(match, tag)) return request
  const pairs = await findEdit(request, content)
  if (!pairs) return request
  const conflicts = findConflicts(pairs, current.view)
  return conflicts.length > 0 ? request : { ...request, fields: { ...request.fields, 'if-match': tag } }
}

/** Whether the one entity tag in If-Match is that of another version of the same item. */
function isOlderVersion(match: string, currentTag: string): boolean {
  const tags = parseEntityTags(match)
  const [one] = tags === '*' ? [] : tags
  if (tags === '*' || !one || tags.length > 1) return false
  const current = currentTag.slice(1, -1)
  return isSameItem(one.opaque, current) && !isSameVersion(one.opaque, current)
}
