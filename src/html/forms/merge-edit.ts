/** Edits in forms on an item that changed after the form was made: merged where no field was changed twice. */

import { isEditForm, parseFormPairs } from '../../formats/form-reader.ts'
import { parseEntityTags } from '../../http/entity-tag.ts'
import { hasTarget } from '../../requests/context/request-context.ts'
import { loadCurrentState, type Plan } from '../../requests/perform-method.ts'
import { uncodedTag } from '../../requests/read/validators.ts'
import { isSameItem, isSameVersion } from '../../views/opaque-tag.ts'
import { findConflicts } from './form-conflicts.ts'
import { isForm } from './form-key.ts'

/**
 * The plan of a form that edits the version in its If-Match, for the current version; undefined where both edits cannot
 * be merged.
 */
export async function mergeEdit(plan: Plan): Promise<Plan | undefined> {
  const { context, request, content } = plan
  const { 'if-match': match } = request.fields
  if (match === undefined || !content || !isForm(request) || !hasTarget(context, 'item')) return undefined
  const current = await loadCurrentState(plan)
  if (current.kind !== 'found' || !current.isReadable) return undefined
  const tag = uncodedTag(context, current)
  if (tag === undefined || !isOlderVersion(match, tag)) return undefined
  const pairs = parseFormPairs(await content.octets())
  if (!isEditForm(pairs) || findConflicts(pairs, current.view).length > 0) return undefined
  return { ...plan, request: { ...request, fields: { ...request.fields, 'if-match': tag } } }
}

/** Whether the one entity tag in If-Match is that of another version of the same item. */
function isOlderVersion(match: string, currentTag: string): boolean {
  const tags = parseEntityTags(match)
  const [one] = tags === '*' ? [] : tags
  if (tags === '*' || !one || tags.length > 1) return false
  const current = currentTag.slice(1, -1)
  return isSameItem(one.opaque, current) && !isSameVersion(one.opaque, current)
}
