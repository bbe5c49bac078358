/** Items that clients name: a PUT to a URI where nothing is yet, in resources that allow it. */

import { randomUUIDv7 } from 'node:crypto'
import type { ServiceContext } from '../context/service-context.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import { invalidContent } from '../refusal.ts'
import type { ContentMembers } from './record-draft.ts'

/**
 * The identity and the first version of the item to be made. An identity that a client chose may
 * have lived before; beginning above every version it could have had, no entity tag comes again.
 */
export async function clientNamedIdentity(
  { store }: ServiceContext,
  resource: ResourceModel,
  id: string,
): Promise<readonly [identity: string, version: number]> {
  if (resource.key) return [randomUUIDv7(), 1]
  return [id, await store.firstVersion(resource.name)]
}

/** The members of the body, with the name that the URI gives the item among them. */
export function clientNamedMembers(
  resource: ResourceModel,
  id: string,
  sent: ContentMembers,
): ContentMembers {
  const { id: stated, ...members } = sent
  const named = withKeyFromUri(resource, id, members)
  const { key } = resource
  const other = [
    ...(stated !== undefined && stated !== id ? ['id'] : []),
    ...(key && named[key.name] !== keyValue(key, id) ? [key.name] : []),
  ]
  if (other.length === 0) return named
  const detail = 'Must be the name that the URI gives it.'
  throw invalidContent(other.map((name) => ({ pointer: `/${name}`, rule: 'const', detail })))
}

/** Where clients name items the URI has the key already, so that the body may do without. */
export function withKeyFromUri(
  resource: ResourceModel,
  id: string,
  members: ContentMembers,
): ContentMembers {
  const { key, put } = resource
  if (!key || put !== 'create' || Object.hasOwn(members, key.name)) return members
  return { ...members, [key.name]: keyValue(key, id) }
}

function keyValue({ kind }: FieldModel, id: string): JsonValue {
  return kind === 'integer' ? Number(id) : id
}
