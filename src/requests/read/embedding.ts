/**
 * Embeds related items in others: the item that a reference names, the elements of a set of references,
 * and the first items of an inverse.
 * Each relation takes one store query for all items of a page.
 */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { isListableThrough } from '../../access/sub-collection-rights.ts'
import {
  IDENTITY,
  type InverseRelation,
  type ReferenceRelation,
  type Stored,
} from '../../definition/model.ts'
import { type Embed, maxEmbeddedItems } from '../../query/embed-parameter.ts'
import { defaultLimit } from '../../query/list-query.ts'
import { all, isOneOf } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { exceedsOctets } from '../../store/row-size.ts'
import type { RowQuery } from '../../store/store.ts'
import { createItemView } from '../../views/item-view.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { elementIdentitiesOf, elementIdsOf } from '../../views/set-element-ids.ts'
import { idOf, subCollectionUri } from '../../views/uri.ts'
import type { Embedded, ItemView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import type { Unit } from '../context/service-context.ts'
import { deriveInto } from './derived-values.ts'
import { listWithinVisibleSize } from './list-within-visible-size.ts'
import { countStoredWithinOctets } from './page-budget.ts'

export interface EmbedOptions {
  readonly unit: Unit
  readonly caller: Principal
  readonly embeds: readonly Embed[]
  /** How many octets of each relation's targets are loaded; exceeded only by a single target. */
  readonly octets: number
}

/** How many rows of an inverse, or of sets of references, are loaded for several items: enough for a page of the default length. */
const maxSeveralRows = defaultLimit * (maxEmbeddedItems + 1)

/**
 * The items, each with the visible items that it embeds. When those are too many or too large, only
 * the first items are returned, and at least one.
 */
export async function embedInto(
  options: EmbedOptions,
  items: readonly ItemView[],
): Promise<readonly ItemView[]> {
  const { embeds, octets } = options
  if (embeds.length === 0 || items.length === 0) return items
  const targets = await Promise.all(embeds.map((embed) => loadTargets(options, items, embed)))
  const share = Math.min(...targets.map(({ loaded }) => loaded))
  // The targets left out may belong to any item, so fewer items are tried.
  if (share < 1 && items.length > 1) {
    return embedInto(options, items.slice(0, Math.max(1, Math.floor(items.length * share))))
  }
  const complete = items.map((item) => {
    const embedded = embeds.flatMap(({ relation }, at) => {
      const found = targets[at]?.find(item)
      return found ? [[relation.name, found] as const] : []
    })
    return { ...item, embedded: new Map(embedded) }
  })
  // A target is loaded once, but may be shown in every item.
  return complete.slice(0, countStoredWithinOctets(complete, octets))
}

interface LoadedTargets {
  find(item: ItemView): Embedded | undefined
  /** The share of the targets that was loaded, from 0 to 1. */
  readonly loaded: number
}

function loadTargets(
  options: EmbedOptions,
  items: readonly ItemView[],
  embed: Embed,
): Promise<LoadedTargets> {
  const { relation } = embed
  if (relation.kind === 'inverse') return loadReferring(options, items, embed, relation)
  return relation.kind === 'reference'
    ? loadReferenced(options, items, embed, relation)
    : loadElements(options, items, embed, relation)
}

async function loadReferenced(
  options: EmbedOptions,
  items: readonly ItemView[],
  { condition, embeds }: Embed,
  relation: ReferenceRelation,
): Promise<LoadedTargets> {
  const identities = new Set(items.map((item) => identityIn(item, relation)))
  const values = [...identities].filter((identity) => identity !== null)
  if (values.length === 0) return { find: () => undefined, loaded: 1 }
  const among = isOneOf(['_identity'], values)
  const found = await listItems(options, relation, {
    condition: all([among, condition]),
    limit: values.length,
  })
  const targets = await embedInto({ ...options, embeds }, found)
  const byIdentity = new Map(targets.map((target) => [target.row[IDENTITY] ?? null, target]))
  const isCut = found.length < values.length && isFull(options, found)
  return {
    find: (item) => byIdentity.get(identityIn(item, relation)),
    loaded: isCut ? found.length / values.length : shareOf(targets, found),
  }
}

/** The elements of sets of references that the caller may read, in the order of their ids. */
async function loadElements(
  options: EmbedOptions,
  items: readonly ItemView[],
  { condition, embeds }: Embed,
  relation: ReferenceRelation,
): Promise<LoadedTargets> {
  const { field, target } = relation
  const values = elementIdentitiesOf(items, field)
  if (values.length > maxSeveralRows && items.length > 1) {
    return { find: () => undefined, loaded: maxSeveralRows / values.length }
  }
  const among = isOneOf(['_identity'], values)
  const query = { condition: all([among, condition]), limit: Math.max(1, values.length) }
  const found = values.length === 0 ? [] : await listItems(options, relation, query)
  const targets = await embedInto({ ...options, embeds }, found)
  const byId = new Map(targets.map((one) => [idOf(target, one.row), one]))
  const isCut = found.length < values.length && isFull(options, found)
  return {
    find: (item) =>
      item.visibleFields.fields.includes(field)
        ? {
            kind: 'list',
            items: elementIdsOf(item, field).flatMap((id) => byId.get(id) ?? []),
            rest: undefined,
          }
        : undefined,
    loaded: isCut ? found.length / values.length : shareOf(targets, found),
  }
}

/** The identity that the reference names; null when it is absent or hidden. */
function identityIn({ row, visibleFields }: ItemView, { field }: ReferenceRelation): Stored {
  return visibleFields.fields.includes(field) ? (row[field.index] ?? null) : null
}

/**
 * The first items of an inverse. They are fewer where they, or the items that they embed, are too many
 * or too large for a single item.
 */
async function loadReferring(
  options: EmbedOptions,
  items: readonly ItemView[],
  { condition, embeds }: Embed,
  relation: InverseRelation,
): Promise<LoadedTargets> {
  const { field } = relation
  const to = [...new Set(items.map(({ row }) => String(row[IDENTITY])))]
  const firstReferring = { reference: field.name, to, most: maxEmbeddedItems + 1 }
  const found = await listItems(options, relation, { condition, limit: maxSeveralRows, firstReferring })
  const isCut = isFull(options, found) || (to.length > 1 && found.length === maxSeveralRows)
  if (isCut && items.length > 1) return { find: () => undefined, loaded: 1 / 2 }
  const byParent = Map.groupBy(found, ({ row }) => row[field.index])
  const shown = [...byParent.values()].flatMap((several) => several.slice(0, maxEmbeddedItems))
  const targets = await embedInto({ ...options, embeds }, shown)
  const shownByParent = Map.groupBy(targets, ({ row }) => row[field.index])
  return {
    find(item) {
      const identity = item.row[IDENTITY]
      const first = shownByParent.get(identity) ?? []
      const isComplete = !isCut && first.length === (byParent.get(identity)?.length ?? 0)
      return { kind: 'list', items: first, rest: isComplete ? undefined : listUri(options, item, relation) }
    },
    loaded: shareOf(targets, shown),
  }
}

/** The share of the items that is left, from 0 to 1; of none nothing is missing. */
function shareOf(left: readonly ItemView[], items: readonly ItemView[]): number {
  return items.length === 0 ? 1 : left.length / items.length
}

/** The URI of all items of the inverse; undefined when the caller has no such list. */
function listUri(
  { unit, caller }: EmbedOptions,
  { row, visibleFields }: ItemView,
  relation: InverseRelation,
) {
  if (!isListableThrough(relation, caller)) return undefined
  return subCollectionUri(unit.model, { resource: visibleFields.resource, relation, row })
}

type TargetQuery = Pick<RowQuery, 'condition' | 'limit' | 'firstReferring'>

/** The items of the relation's target that the query finds, by id. */
async function listItems(
  { unit, caller, octets }: EmbedOptions,
  { target }: ReferenceRelation | InverseRelation,
  query: TargetQuery,
): Promise<readonly ItemView[]> {
  const selector = createFieldSelector(rightsOf(target, caller), 'list')
  const checks = createRowChecks(target, selector.conditions)
  const column = query.firstReferring && target.keyField ? target.keyField : undefined
  const rowQuery = {
    ...query,
    table: target.name,
    order: [{ column: column?.name ?? '_identity', descending: false }],
    after: undefined,
    octets,
    evaluated: checks.conditions,
  }
  const positionOf = (row: Row) => [row[column?.index ?? IDENTITY] ?? null]
  const rows = await listWithinVisibleSize(unit.store, rowQuery, { selector, checks, positionOf })
  const items = rows.map((row) => createItemView(row, selector, checks.readResults(row)))
  return deriveInto({ unit, caller }, items)
}

/** Whether the list was ended by its octets. */
function isFull({ octets }: EmbedOptions, items: readonly ItemView[]): boolean {
  return exceedsOctets(
    items.map(({ row }) => row),
    octets,
  )
}
