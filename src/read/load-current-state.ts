/** Loads what is at the target, with one store query that also evaluates what the caller may do with it. */

import { denial } from '../access/authorize.ts'
import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { Method, RequestContext } from '../context/request-context.ts'
import { relationsAt, type ServiceContext } from '../context/service-context.ts'
import type { DocumentTarget, ItemTarget } from '../context/target.ts'
import { parseId } from '../definition/item-id.ts'
import type { FieldModel, ResourceModel, Stored } from '../definition/model.ts'
import { withChrome } from '../html-pages/page-chrome.ts'
import type { ItemSelection } from '../query/item-query.ts'
import { refuse } from '../refusal.ts'
import { rightForMethod } from '../request/request-checks.ts'
import type { ResolvedQuery } from '../request/resolved-query.ts'
import { cacheControlOfError, varyOf } from '../respond/cacheability.ts'
import { movedPermanently } from '../respond/early-response.ts'
import type { Condition } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { andThen, type MaybePromise, type Store, type Tombstone } from '../store/store.ts'
import { itemView, type RowChecks, rowChecks } from '../view/row-checks.ts'
import { type FieldSelector, fieldSelector } from '../view/shape.ts'
import type { DocumentView } from '../view/view.ts'
import type { AbsentItem, CurrentState, FoundItem, LoadedDocument } from './current-state.ts'
import { embedInto } from './embedding.ts'
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
  return { kind: 'nothing' }
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
  return { kind: 'document', view: await withChrome(context, view), links }
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
  const selector = fieldSelector(rights, fields)
  const changes = method === 'PUT' || method === 'PATCH' ? changeConditions(rights) : []
  const reads = method === 'GET' || method === 'HEAD'
  const presenter = reads ? itemPresenter(context, selector, rights) : undefined
  const seeing = presenter ? presenter.conditions : selector.conditions
  const checks = rowChecks(resource, [rights.read, right, ...seeing, ...changes])
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
  if (!row) return absentAt(itemContext.context, target)
  const { context, rights, right, selector, presenter, checks, embeds } = itemContext
  const holds = checks.resultsIn(row)
  const readable = holds(rights.read)
  const permitted = holds(right)
  // Content is judged as at a free key, so that a refusal of it does not tell that the key is taken.
  if (!readable && !permitted && isCreatedBy(context.method, target.resource)) return taken
  const presented =
    presenter && readable
      ? presenter.present(row, holds)
      : { view: itemView(row, selector, holds), links: () => [] }
  const found = ({ view, links }: PresentedItem): FoundItem => {
    return { kind: 'found', row, view, links, rights, readable, permitted, holds }
  }
  if (readable && embeds.length > 0) return embedded(context, presented, embeds).then(found)
  return andThen(presented, found)
}

export const taken: AbsentItem = {
  kind: 'absent',
  tombstone: undefined,
  movedTo: undefined,
  isTaken: true,
}

export async function absentAt(
  { service, caller }: RequestContext,
  { resource, id }: ItemTarget,
): Promise<AbsentItem> {
  const movedTo = await findMove(service, caller, resource, id)
  const tombstone = await tombstoneOf(service.store, resource, id)
  return { kind: 'absent', tombstone, movedTo, isTaken: false }
}

export async function embedded(
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

export function tombstoneOf(store: Store, resource: ResourceModel, id: string) {
  return resource.tombstones ? store.tombstone(resource.name, id) : undefined
}

/** The present URI of the item that had the id, for those who may read it. */
export async function findMove(
  service: ServiceContext,
  caller: Principal,
  resource: ResourceModel,
  id: string,
): Promise<string | undefined> {
  if (!resource.key) return undefined
  const identity = await service.store.movedFrom(resource.name, id)
  if (identity === undefined) return undefined
  return findVisibleUri(service, caller, resource, identity)
}

/** Refuses what is not there, or not there for this caller: 404, 410, 401, 403; or answers 301. */
export function requireItemAccess(
  context: RequestContext,
  current: CurrentState,
): MaybePromise<void> {
  if (current.kind === 'absent') return allowAbsent(context, current)
  if (current.kind !== 'found' || current.permitted) return
  throw current.readable ? denial(context.caller) : notFoundOrHidden()
}

export async function allowAbsent(
  { service, caller, method, target }: RequestContext,
  current: AbsentItem,
) {
  if (target.kind !== 'item') return
  if (current.movedTo !== undefined) throw movedItem(target, current.movedTo)
  if (isCreation(method, target.resource, current) && mayCreate(caller, target)) return
  if (await mightRead(service, caller, target.resource, current.tombstone)) {
    throw refuse('gone', { detail: 'The item was deleted.' })
  }
  throw notFoundOrHidden()
}

/** To every method, with the query as it was sent (CONTRACT 3). */
export function movedItem(target: ItemTarget, uri: string) {
  const location = target.query === undefined ? uri : `${uri}?${target.query}`
  const fields = { 'Cache-Control': cacheControlOfError(301, target), Vary: varyOf(target) }
  return movedPermanently(location, fields)
}

/** PUT may make an item where the resource lets clients name its items. */
export function isCreation(
  method: Method,
  resource: ResourceModel,
  current: CurrentState,
): boolean {
  return isCreatedBy(method, resource) && current.kind === 'absent'
}

export function isCreatedBy(method: Method, { put }: ResourceModel): boolean {
  return method === 'PUT' && put === 'create'
}

/** Refuses an id that no item can have; false for whoever may not create: to them it is absent. */
export function mayCreate(caller: Principal, { resource, id }: ItemTarget): boolean {
  if (rightsOf(resource, caller).create.kind === 'never') return false
  if (parseId(resource, id) !== undefined) return true
  throw refuse('not-found', { detail: 'No item can be here: it could not have this id.' })
}

export async function mightRead(
  { store }: ServiceContext,
  caller: Principal,
  resource: ResourceModel,
  tombstone: Tombstone | undefined,
): Promise<boolean> {
  if (!tombstone) return false
  return store.wouldHold(resource.name, tombstone.values, rightsOf(resource, caller).read)
}

/** The same for what is absent and for what is hidden. */
export function notFoundOrHidden() {
  return refuse('not-found', { detail: 'Nothing is here that you may see.' })
}
