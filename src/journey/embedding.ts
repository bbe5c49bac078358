/** Items that others refer to, shown along with them: one question for each reference embedded. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import { type FieldModel, IDENTITY, type Stored } from '../declare/model.ts'
import { all } from '../store/condition.ts'
import type { Awaitable } from '../store/store.ts'
import { asksOf, itemView } from '../view/record.ts'
import { lensOf } from '../view/shape.ts'
import type { ItemView } from '../view/view.ts'
import type { Context } from './context.ts'

/** The same items, each with what it refers to as far as the caller may see both. */
export function embedInto(
  context: Context,
  who: Principal,
  items: readonly ItemView[],
  embeds: readonly FieldModel[],
): Awaitable<readonly ItemView[]> {
  if (embeds.length === 0 || items.length === 0) return items
  return embed(context, who, items, embeds)
}

async function embed(
  context: Context,
  who: Principal,
  items: readonly ItemView[],
  embeds: readonly FieldModel[],
): Promise<readonly ItemView[]> {
  const targets = await Promise.all(embeds.map((field) => targetsOf(context, who, items, field)))
  return items.map((item) => {
    const embedded = embeds.flatMap((field, at) => {
      const target = targets[at]?.get(identityIn(item, field))
      return target ? [[field.name, target] as const] : []
    })
    return { ...item, embedded: new Map(embedded) }
  })
}

/** What the reference of each item names, by identity; hidden ones are not among them. */
async function targetsOf(
  { store }: Context,
  who: Principal,
  items: readonly ItemView[],
  field: FieldModel,
): Promise<ReadonlyMap<Stored, ItemView>> {
  const resource = field.ref?.resource
  const identities = new Set(items.map((item) => identityIn(item, field)))
  const values = [...identities].filter((identity) => identity !== null)
  if (!resource || values.length === 0) return new Map()
  const rights = rightsOf(resource, who)
  const lens = lensOf(rights)
  const asks = asksOf(resource, lens.asks)
  const rows = await store.list({
    table: resource.name,
    condition: all([{ kind: 'compare', path: ['_identity'], operator: 'in', values }, rights.read]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: values.length,
    asks: asks.conditions,
  })
  return new Map(
    rows.map((row) => [row[IDENTITY] ?? null, itemView(row, lens, asks.answersIn(row))]),
  )
}

/** Null where there is none, or none that is shown on this record. */
function identityIn({ row, shape }: ItemView, field: FieldModel): Stored {
  return shape.fields.includes(field) ? (row[field.at] ?? null) : null
}
