/** A change as the JSON object that clients get. */

import type { JsonValue, Model } from '../../definition/model.ts'
import { itemMembers } from '../../views/item-view.ts'
import { referenceUri } from '../../views/uri.ts'
import type { VersionCodec } from './version-token.ts'
import type { VisibleChange } from './visible-change.ts'

/** `type` with the members of its kind: a deletion has only `href` and `at`, a reset nothing else. */
export function eventObject(
  model: Model,
  versions: VersionCodec,
  change: VisibleChange,
): Readonly<Record<string, JsonValue>> {
  if (change.kind === 'reset') return { type: 'reset' }
  const { kind, resource, id, at } = change
  const type = `${resource.name}.${kind}`
  const href = referenceUri(model, resource, id)
  if (kind === 'deleted') return { type, href, at }
  const version = versions.format(change.identity, change.version)
  return { type, href, version, at, item: change.members ?? itemMembers(change.item) }
}
