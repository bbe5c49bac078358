/** Items that clients name: PUT to the URI of an absent item, in resources that allow it (RFC 9110 §9.3.4). */

import { randomUUIDv7 } from 'node:crypto'
import type { FieldModel, JsonValue, ResourceModel } from '../../definition/model.ts'
import { invalidContent } from '../../refusal.ts'
import type { Unit } from '../context/service-context.ts'
import type { ContentMembers } from './draft-from-content.ts'

/**
 * The identity and the first version of the new item. An item with the same identity may have been
 * deleted before: the version starts above all earlier ones, so that no entity tag repeats.
 */
export async function clientNamedIdentity(
  { store }: Pick<Unit, 'store'>,
  resource: ResourceModel,
  id: string,
): Promise<readonly [identity: string, version: number]> {
  if (resource.keyField) return [randomUUIDv7(), 1]
  return [id, await store.firstVersion(resource.name)]
}

/** The members of the body with the key from the URI; refuses 422 when the body has another id or key. */
export function clientNamedMembers(
  resource: ResourceModel,
  id: string,
  sent: ContentMembers,
): ContentMembers {
  const { id: sentId, ...members } = sent
  const named = withKeyFromUri(resource, id, members)
  const { keyField } = resource
  const different = [
    ...(sentId !== undefined && sentId !== id ? ['id'] : []),
    ...(keyField && named[keyField.name] !== keyValue(keyField, id) ? [keyField.name] : []),
  ]
  if (different.length === 0) return named
  const detail = 'Must be the same as in the URI.'
  throw invalidContent(different.map((name) => ({ pointer: `/${name}`, rule: 'const', detail })))
}

/** The members, with the key from the URI when clients name the items and the body has no key. */
export function withKeyFromUri(resource: ResourceModel, id: string, members: ContentMembers): ContentMembers {
  const { keyField, put } = resource
  if (!keyField || put !== 'create' || Object.hasOwn(members, keyField.name)) return members
  return { ...members, [keyField.name]: keyValue(keyField, id) }
}

function keyValue({ kind }: FieldModel, id: string): JsonValue {
  return kind.shape === 'number' ? Number(id) : id
}
