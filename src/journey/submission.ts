/** Hands a write to the store, and says in the client's terms what the store has against it. */

import { denial } from '../access/authorize.ts'
import type { Principal } from '../access/principal.ts'
import type { ResourceModel } from '../declare/model.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { Holder, Write, WriteRefusal } from '../store/store.ts'
import type { Context } from './context.ts'
import { missing } from './filling.ts'
import { invalid } from './input.ts'
import { LostRace } from './race.ts'
import { findVisibleUri } from './visible.ts'

/** Durable once it returns; else refused, or lost to another write. */
export async function submit(context: Context, who: Principal, write: Write): Promise<void> {
  const written = await context.store.write([write])
  if (written.kind === 'done') return
  throw await translate(context, who, write, written.reason)
}

/** All of the writes or none; a fault points to the place of its write first. */
export async function submitAll(
  context: Context,
  who: Principal,
  writes: readonly Write[],
): Promise<void> {
  const written = await context.store.write(writes)
  if (written.kind === 'done') return
  const error = await translate(context, who, writes[written.index] as Write, written.reason)
  throw error instanceof Refusal ? withinRow(error, written.index) : error
}

/** The refusal of one row of many, its faults pointed to within that row. */
function withinRow({ type, options }: Refusal, row: number): Refusal {
  const errors = options.errors?.map((fault) => ({ ...fault, pointer: `/${row}${fault.pointer}` }))
  return refuse(type, errors ? { ...options, errors } : options)
}

async function translate(
  context: Context,
  who: Principal,
  { table }: Write,
  reason: WriteRefusal,
): Promise<Refusal | LostRace> {
  // The write was made from the model, so its table is there.
  const resource = context.model.resources.get(table) as ResourceModel
  switch (reason.kind) {
    case 'stale':
      return new LostRace()
    case 'forbidden':
      return denial(who)
    case 'duplicate':
      return duplicate(resource, reason.columns)
    case 'dangling':
      return invalid(
        reason.columns.flatMap((name) => {
          const field = resource.field.get(name)
          return field?.ref ? [missing(field, field.ref.resource.name)] : []
        }),
      )
    case 'referenced':
      return referenced(await visibleUris(context, who, reason.by))
    case 'too-many':
      return refuse('referenced', {
        detail: `Deleting it would delete more than ${reason.limit} other items with it.`,
      })
  }
}

/** A client-chosen identity that was taken meanwhile is no fault of the content: begin again. */
function duplicate(resource: ResourceModel, columns: readonly string[]): Refusal | LostRace {
  if (columns.includes('_identity')) return new LostRace()
  const detail = 'This value is already taken.'
  return refuse('duplicate', {
    detail: `${columns.map((name) => `'${name}'`).join(', ')} must be unique in '${resource.name}'.`,
    errors: columns.map((name) => ({ pointer: `/${name}`, rule: 'unique', detail })),
  })
}

function referenced(by: readonly string[]): Refusal {
  const named = by.length === 0 ? '' : `: ${by.slice(0, 3).join(', ')}${by.length > 3 ? ' …' : ''}`
  return refuse('referenced', {
    detail: `Other items refer to it${named}.`,
    members: by.length === 0 ? {} : { by },
  })
}

/** Only those that the caller may see; that something holds it is no secret, what holds it may be. */
async function visibleUris(context: Context, who: Principal, holders: readonly Holder[]) {
  const uris = await Promise.all(
    holders.map(({ table, identity }) => {
      const resource = context.model.resources.get(table) as ResourceModel
      return findVisibleUri(context, who, resource, identity)
    }),
  )
  return uris.filter((uri) => uri !== undefined)
}
