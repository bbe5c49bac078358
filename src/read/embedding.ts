/** Embeds the items that other items refer to, with one store query for each embedded reference. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { type FieldModel, IDENTITY, type Stored } from '../definition/model.ts'
import { all } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { exceedsOctets } from '../store/row-size.ts'
import { createItemView, createRowChecks } from '../view/row-checks.ts'
import { createFieldSelector } from '../view/shape.ts'
import type { ItemView } from '../view/view.ts'
import { listVisibleRows } from './visible-rows.ts'

interface EmbedOptions {
  readonly service: ServiceContext
  readonly caller: Principal
  readonly embeds: readonly FieldModel[]
  /** How many octets of each reference's targets are loaded; exceeded only by a single item's target. */
  readonly octets: number
}

/**
 * The items, each with the visible targets of its visible references. When the targets of all are
 * too large, only the first items are returned, and at least one.
 */
export async function embedInto(
  options: EmbedOptions,
  items: readonly ItemView[],
): Promise<readonly ItemView[]> {
  const { embeds } = options
  if (embeds.length === 0 || items.length === 0) return items
  const targets = await Promise.all(embeds.map((field) => loadTargets(options, items, field)))
  const share = Math.min(...targets.map(({ loaded }) => loaded))
  // The targets left out may belong to any item, so fewer items are tried.
  if (share < 1 && items.length > 1) {
    return embedInto(options, items.slice(0, Math.max(1, Math.floor(items.length * share))))
  }
  return items.map((item) => {
    const embedded = embeds.flatMap((field, at) => {
      const target = targets[at]?.byIdentity.get(identityIn(item, field))
      return target ? [[field.name, target] as const] : []
    })
    return { ...item, embedded: new Map(embedded) }
  })
}

interface LoadedTargets {
  /** The visible targets. */
  readonly byIdentity: ReadonlyMap<Stored, ItemView>
  /** The share of the targets that was loaded, from 0 to 1. */
  readonly loaded: number
}

async function loadTargets(
  { service: { store }, caller, octets }: EmbedOptions,
  items: readonly ItemView[],
  field: FieldModel,
): Promise<LoadedTargets> {
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
  const positionOf = (row: Row) => [row[IDENTITY] ?? null]
  const rows = await listVisibleRows(store, rowQuery, { selector, checks, positionOf })
  const isCut = rows.length < values.length && exceedsOctets(rows, octets)
  return {
    byIdentity: new Map(
      rows.map((row) => [row[IDENTITY] ?? null, createItemView(row, selector, checks.readResults(row))]),
    ),
    loaded: isCut ? rows.length / values.length : 1,
  }
}

/** The identity that the field refers to; null when it is absent or hidden. */
function identityIn({ row, shape }: ItemView, field: FieldModel): Stored {
  return shape.fields.includes(field) ? (row[field.index] ?? null) : null
}
