/** Items that clients name: a PUT to a URI where nothing is yet, in resources that allow it. */

import { randomUUIDv7 } from 'node:crypto'
import type { JsonValue, ResourceModel } from '../declare/model.ts'
import { refuse } from '../refusal.ts'
import type { Context } from './context.ts'
import { invalid, type Members } from './input.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The identity and the first version of the item to be made. An identity that a client chose may
 * have lived before; beginning above every version it could have had, no entity tag comes again.
 */
export async function namedRow(
  { store }: Context,
  resource: ResourceModel,
  id: string,
): Promise<readonly [identity: string, version: number]> {
  if (resource.key) return [randomUUIDv7(), 1]
  if (!uuid.test(id)) {
    throw refuse('not-found', { detail: 'No item can be here: its id would have to be a UUID.' })
  }
  return [id, (await store.revision(resource.name)) + 1]
}

/** The members of the body, with the name that the URI gives the item among them. */
export function namedMembers(resource: ResourceModel, id: string, sent: Members): Members {
  const { id: stated, ...members } = sent
  const { key } = resource
  const named = key && members[key.name]
  if ((stated !== undefined && stated !== id) || (named !== undefined && String(named) !== id)) {
    const pointer = named !== undefined && String(named) !== id ? `/${key?.name}` : '/id'
    throw invalid([{ pointer, rule: 'const', detail: 'Must be the name that the URI gives it.' }])
  }
  return key ? { ...members, [key.name]: keyOf(key.kind, id) } : members
}

function keyOf(kind: string, id: string): JsonValue {
  return kind === 'integer' && /^-?\d+$/.test(id) ? Number(id) : id
}
