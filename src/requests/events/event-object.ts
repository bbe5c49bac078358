/** A change as the JSON object that clients get. */

import type { JsonValue, Model } from '../../definition/model.ts'
import { itemMembers } from '../../views/item-view.ts'
import { referenceUri } from '../../views/uri.ts'
import type { VersionCodec } from './version-token.ts'
import type { VisibleChange } from './visible-change.ts'

/** `type` with the members of its kind: a deletion has no item, a reset nothing else. */
export function eventObject(
  model: Model,
  versions: VersionCodec,
  change: VisibleChange,
): Readonly<Record<string, JsonValue>> {
  if (change.kind === 'reset') return { type: 'reset' }
  const { position, kind, resource, id, identity, at } = change
  const described = {
    event: versions.formatEvent(position),
    type: `${resource.name}.${kind}`,
    href: referenceUri(model, resource, id),
    version: versions.format(identity, change.version),
    at,
  }
  if (kind === 'deleted') return described
  return { ...described, item: change.members ?? itemMembers(change.item) }
}
