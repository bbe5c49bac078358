/** Loads what is at the target, with one store query that also evaluates what the caller may do with it. */

import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsAt, type ServiceContext } from '../context/service-context.ts'
import type { DocumentTarget, ItemTarget } from '../context/target.ts'
import type { FieldModel, ResourceModel, Stored } from '../definition/model.ts'
import { withPageChrome } from '../html-pages/page-chrome.ts'
import type { ItemSelection } from '../query/item-query.ts'
import { rightForMethod } from '../request/permission.ts'
import type { ResolvedQuery } from '../request/resolved-query.ts'
import type { Condition } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { andThen, type MaybePromise, type Store } from '../store/store.ts'
import { createItemView, createRowChecks, type RowChecks } from '../view/row-checks.ts'
import { createFieldSelector, type FieldSelector } from '../view/shape.ts'
import type { DocumentView } from '../view/view.ts'
import type { AbsentItem, CurrentState, FoundItem, LoadedDocument } from './current-state.ts'
import { embedInto } from './embedding.ts'
import { createsAtUri } from './item-access.ts'
import { type ItemPresenter, itemPresenter, type PresentedItem } from './item-presenter.ts'
import { loadCollection } from './load-collection.ts'
import { findVisibleUri } from './visible-uri.ts'

export function loadCurrentState(
  context: RequestContext,
  { selection, list }: ResolvedQuery,
): MaybePromise<CurrentState> {
  const { target } = context
  if (target.kind === 'item') return loadItem(context, target, selection)
  if (target.kind === 'document') return loadDocument(context, target)
  if (target.kind === 'collection' && list) return loadCollection(context, target, list)
  return { kind: 'not-loaded' }
}

export async function loadDocument(
  context: RequestContext,
  { document, parameter }: DocumentTarget,
): Promise<LoadedDocument> {
  const { service, caller, format, origin } = context
  const shown = await document.show(service, caller, parameter, origin)
  const whole = document.hypermedia && (await document.hypermedia(service, caller, parameter))
  const links = whole?.links ?? []
  const relations = relationsAt(service, origin)
  const offered = format.hypermedia === 'actions' ? whole : whole && { links, actions: [] }
  const view: DocumentView = {
    kind: 'document',
    ...(shown instanceof Uint8Array ? { data: null, octets: shown } : { data: shown }),
    ...(document.name === undefined ? {} : { name: document.name }),
    ...(format.hypermedia && offered ? { hypermedia: { ...offered, relations } } : {}),
  }
  return { kind: 'document', view: await withPageChrome(context, view), links }
}

export function loadItem(
  context: RequestContext,
  target: ItemTarget,
  { fields, embeds }: ItemSelection,
): MaybePromise<FoundItem | AbsentItem> {
  const { service, caller, method } = context
  const { resource, id } = target
  const rights = rightsOf(resource, caller)
  const right = rightForMethod(method, rights)
  const selector = createFieldSelector(rights, fields)
  const changes = method === 'PUT' || method === 'PATCH' ? changeConditions(rights) : []
  const reads = method === 'GET' || method === 'HEAD'
  const presenter = reads ? itemPresenter(context, selector, rights) : undefined
  const seeing = presenter ? presenter.conditions : selector.conditions
  const checks = createRowChecks(resource, [rights.read, right, ...seeing, ...changes])
  const itemContext: ItemContext = {
    context,
    rights,
    right,
    selector,
    presenter,
    checks,
    embeds,
  }
  const found = findById(service.store, resource, id, checks.conditions)
  return andThen(found, (row) => presentItem(itemContext, target, row))
}

/** How an item is looked at, settled before it is loaded. */
export interface ItemContext {
  readonly context: RequestContext
  readonly rights: Rights
  readonly right: Condition
  readonly selector: FieldSelector
  /** Where it is only read. */
  readonly presenter: ItemPresenter | undefined
  readonly checks: RowChecks
  readonly embeds: readonly FieldModel[]
}

export function presentItem(
  itemContext: ItemContext,
  target: ItemTarget,
  row: Row | undefined,
): MaybePromise<FoundItem | AbsentItem> {
  if (!row) return loadAbsence(itemContext.context, target)
  const { context, rights, right, selector, presenter, checks, embeds } = itemContext
  const holds = checks.readResults(row)
  const readable = holds(rights.read)
  const permitted = holds(right)
  // Content is judged as at a free key, so that a refusal of it does not tell that the key is taken.
  if (!readable && !permitted && createsAtUri(context.method, target.resource)) return hiddenItem
  const presented =
    presenter && readable
      ? presenter.present(row, holds)
      : { view: createItemView(row, selector, holds), links: () => [] }
  const found = ({ view, links }: PresentedItem): FoundItem => {
    return {
      kind: 'found',
      row,
      view,
      links,
      rights,
      isReadable: readable,
      isPermitted: permitted,
      holds,
    }
  }
  if (readable && embeds.length > 0)
    return withEmbeddedItems(context, presented, embeds).then(found)
  return andThen(presented, found)
}

export const hiddenItem: AbsentItem = {
  kind: 'absent',
  tombstone: undefined,
  movedTo: undefined,
  isHidden: true,
}

export async function loadAbsence(
  { service, caller }: RequestContext,
  { resource, id }: ItemTarget,
): Promise<AbsentItem> {
  const movedTo = await findMovedUri(service, caller, resource, id)
  const tombstone = await findTombstone(service.store, resource, id)
  return { kind: 'absent', tombstone, movedTo, isHidden: false }
}

export async function withEmbeddedItems(
  { service, caller }: RequestContext,
  presented: MaybePromise<PresentedItem>,
  embeds: readonly FieldModel[],
): Promise<PresentedItem> {
  const { view, links } = await presented
  const [whole = view] = await embedInto({ service, caller, embeds, octets: service.limits.page }, [
    view,
  ])
  return { view: whole, links }
}

export function changeConditions({ writability: writing, transitions }: Rights) {
  return [...writing.values(), ...transitions.values()]
}

/** The row whose URI ends in the id. */
export function findById(
  store: Store,
  resource: ResourceModel,
  id: string,
  conditions: readonly Condition[],
) {
  const value = keyValue(resource, id)
  if (value === undefined) return undefined
  const column = resource.key?.name ?? '_identity'
  return store.find({ table: resource.name, column, value, evaluate: conditions })
}

/** A path segment as the key's column holds it; undefined where no item could have it. */
export function keyValue({ key }: ResourceModel, id: string): Exclude<Stored, null> | undefined {
  if (key?.kind !== 'integer') return id
  return /^(0|-?[1-9]\d{0,15})$/.test(id) ? Number(id) : undefined
}

export function findTombstone(store: Store, resource: ResourceModel, id: string) {
  return resource.tombstones ? store.tombstone(resource.name, id) : undefined
}

/** The present URI of the item that had the id, for those who may read it. */
export async function findMovedUri(
  service: ServiceContext,
  caller: Principal,
  resource: ResourceModel,
  id: string,
): Promise<string | undefined> {
  if (!resource.key) return undefined
  const identity = await service.store.identityOfFormerId(resource.name, id)
  if (identity === undefined) return undefined
  return findVisibleUri(service, caller, resource, identity)
}
