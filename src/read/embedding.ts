/** Items that others refer to, shown along with them: one question for each reference embedded. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { type FieldModel, IDENTITY, type Stored } from '../definition/model.ts'
import { all } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { exceedsOctets } from '../store/row-size.ts'
import type { MaybePromise } from '../store/store.ts'
import { createItemView, createRowChecks } from '../view/row-checks.ts'
import { createFieldSelector } from '../view/shape.ts'
import type { ItemView } from '../view/view.ts'
import { listVisibleRows } from './visible-rows.ts'

export interface Embedding {
  readonly service: ServiceContext
  readonly caller: Principal
  readonly embeds: readonly FieldModel[]
  /** How many octets of each reference's targets are loaded at most, but for those of one item. */
  readonly octets: number
}

/**
 * The same items, each with what it refers to as far as the caller may see both. Only the first of
 * them, where the targets of all would be too large: at least one.
 */
export function embedInto(
  embedding: Embedding,
  items: readonly ItemView[],
): MaybePromise<readonly ItemView[]> {
  if (embedding.embeds.length === 0 || items.length === 0) return items
  return embed(embedding, items)
}

async function embed(
  embedding: Embedding,
  items: readonly ItemView[],
): Promise<readonly ItemView[]> {
  const { embeds } = embedding
  const targets = await Promise.all(embeds.map((field) => targetsOf(embedding, items, field)))
  const share = Math.min(...targets.map(({ loaded }) => loaded))
  // What was left out may be of any item: the fewer ask for fewer targets.
  if (share < 1 && items.length > 1) {
    return embed(embedding, items.slice(0, Math.max(1, Math.floor(items.length * share))))
  }
  return items.map((item) => {
    const embedded = embeds.flatMap((field, at) => {
      const target = targets[at]?.byIdentity.get(identityIn(item, field))
      return target ? [[field.name, target] as const] : []
    })
    return { ...item, embedded: new Map(embedded) }
  })
}

interface Targets {
  /** Hidden ones are not among them. */
  readonly byIdentity: ReadonlyMap<Stored, ItemView>
  /** The part of them that was loaded: 1 where it was all. */
  readonly loaded: number
}

/** What the reference of each item names. */
async function targetsOf(
  { service: { store }, caller, octets }: Embedding,
  items: readonly ItemView[],
  field: FieldModel,
): Promise<Targets> {
  const resource = field.ref?.resource
  const identities = new Set(items.map((item) => identityIn(item, field)))
  const values = [...identities].filter((identity) => identity !== null)
  if (!resource || values.length === 0) return { byIdentity: new Map(), loaded: 1 }
  const rights = rightsOf(resource, caller)
  const selector = createFieldSelector(rights)
  const checks = createRowChecks(resource, selector.conditions)
  const rowQuery = {
    table: resource.name,
    condition: all([{ kind: 'compare', path: ['_identity'], operator: 'in', values }, rights.read]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: values.length,
    octets,
    evaluate: checks.conditions,
  }
  const placeOf = (row: Row) => [row[IDENTITY] ?? null]
  const rows = await listVisibleRows(store, rowQuery, { selector, checks, placeOf })
  const ended = rows.length < values.length && exceedsOctets(rows, octets)
  return {
    byIdentity: new Map(
      rows.map((row) => [
        row[IDENTITY] ?? null,
        createItemView(row, selector, checks.readResults(row)),
      ]),
    ),
    loaded: ended ? rows.length / values.length : 1,
  }
}

/** Null where there is none, or none that is shown on this record. */
function identityIn({ row, shape }: ItemView, field: FieldModel): Stored {
  return shape.fields.includes(field) ? (row[field.index] ?? null) : null
}
