/**
 * What stands at the target now, and what this caller may do with it. Everything that depends on
 * the record is asked of the store in the one question that loads it.
 */

import { denial } from '../access/authorize.ts'
import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import { parseId } from '../declare/id.ts'
import type { FieldModel, ResourceModel, Stored } from '../declare/model.ts'
import type { Link } from '../http/link.ts'
import type { Showing } from '../query/item-query.ts'
import { refuse } from '../refusal.ts'
import type { Condition } from '../store/condition.ts'
import { type Awaitable, andThen, type Row, type Store, type Tombstone } from '../store/store.ts'
import { type Asks, asksOf, itemView } from '../view/record.ts'
import { type Holds, type Lens, lensOf } from '../view/shape.ts'
import type { DocumentView, ItemView } from '../view/view.ts'
import { type Method, rightFor } from './admission.ts'
import type { Question } from './asking.ts'
import { cacheControlOfError, varyOf } from './cacheability.ts'
import { type LoadedPage, loadCollection, type Revised, type Streamed } from './collection.ts'
import type { Context } from './context.ts'
import { moved } from './early.ts'
import { embedInto } from './embedding.ts'
import type { Errand } from './errand.ts'
import { framed } from './pages/frame.ts'
import { type Prospect, prospectOf, type Seen } from './prospect.ts'
import { relationsAt } from './relations-uri.ts'
import type { DocumentTarget, ItemTarget } from './target.ts'
import { findVisibleUri } from './visible.ts'

export type Current = Nothing | LoadedDocument | Absent | Found | LoadedPage | Revised | Streamed

/** A collection that is written to, and not looked at. */
export interface Nothing {
  readonly kind: 'nothing'
}

export interface LoadedDocument {
  readonly kind: 'document'
  readonly view: DocumentView
  readonly links: readonly Link[]
}

export interface Absent {
  readonly kind: 'absent'
  readonly tombstone: Tombstone | undefined
  /** Where the item is now that was here before, where the caller may read it. */
  readonly movedTo: string | undefined
  /** An item is here that the caller may not see. Known to PUT alone, which cannot create it. */
  readonly isTaken: boolean
}

export interface Found {
  readonly kind: 'found'
  readonly row: Row
  readonly view: ItemView
  links(): readonly Link[]
  readonly rights: Rights
  /** The caller may read the record. */
  readonly readable: boolean
  /** The caller may do to the record what the method does. */
  readonly permitted: boolean
  readonly holds: Holds
}

export function load(errand: Errand, { showing, list }: Question): Awaitable<Current> {
  const { target } = errand
  if (target.kind === 'item') return loadItem(errand, target, showing)
  if (target.kind === 'document') return loadDocument(errand, target)
  if (target.kind === 'collection' && list) return loadCollection(errand, target, list)
  return { kind: 'nothing' }
}

async function loadDocument(
  errand: Errand,
  { document, parameter }: DocumentTarget,
): Promise<LoadedDocument> {
  const { context, who, format, origin } = errand
  const shown = await document.show(context, who, parameter, origin)
  const whole = document.hypermedia && (await document.hypermedia(context, who, parameter))
  const links = whole?.links ?? []
  const relations = relationsAt(context, origin)
  const offered = format.hypermedia === 'actions' ? whole : whole && { links, actions: [] }
  const view: DocumentView = {
    kind: 'document',
    ...(shown instanceof Uint8Array ? { data: null, octets: shown } : { data: shown }),
    ...(document.name === undefined ? {} : { name: document.name }),
    ...(format.hypermedia && offered ? { hypermedia: { ...offered, relations } } : {}),
  }
  return { kind: 'document', view: await framed(errand, view), links }
}

function loadItem(
  errand: Errand,
  target: ItemTarget,
  { fields, embeds }: Showing,
): Awaitable<Found | Absent> {
  const { context, who, method } = errand
  const { resource, id } = target
  const rights = rightsOf(resource, who)
  const right = rightFor(method, rights)
  const lens = lensOf(rights, fields)
  const changes = method === 'PUT' || method === 'PATCH' ? changeConditions(rights) : []
  const reads = method === 'GET' || method === 'HEAD'
  const prospect = reads ? prospectOf(errand, lens, rights) : undefined
  const seeing = prospect ? prospect.asks : lens.asks
  const asks = asksOf(resource, [rights.read, right, ...seeing, ...changes])
  const looking: Looking = { errand, rights, right, lens, prospect, asks, embeds }
  const found = findById(context.store, resource, id, asks.conditions)
  return andThen(found, (row) => lookAt(looking, target, row))
}

/** How an item is looked at, settled before it is loaded. */
interface Looking {
  readonly errand: Errand
  readonly rights: Rights
  readonly right: Condition
  readonly lens: Lens
  /** Where it is only read. */
  readonly prospect: Prospect | undefined
  readonly asks: Asks
  readonly embeds: readonly FieldModel[]
}

function lookAt(
  looking: Looking,
  target: ItemTarget,
  row: Row | undefined,
): Awaitable<Found | Absent> {
  if (!row) return absentAt(looking.errand, target)
  const { errand, rights, right, lens, prospect, asks, embeds } = looking
  const holds = asks.answersIn(row)
  const readable = holds(rights.read)
  const permitted = holds(right)
  // Content is judged as at a free key, so that a refusal of it does not tell that the key is taken.
  if (!readable && !permitted && isCreatedBy(errand.method, target.resource)) return taken
  const seen =
    prospect && readable
      ? prospect.see(row, holds)
      : { view: itemView(row, lens, holds), links: () => [] }
  const found = ({ view, links }: Seen): Found => {
    return { kind: 'found', row, view, links, rights, readable, permitted, holds }
  }
  if (readable && embeds.length > 0) return embedded(errand, seen, embeds).then(found)
  return andThen(seen, found)
}

const taken: Absent = { kind: 'absent', tombstone: undefined, movedTo: undefined, isTaken: true }

async function absentAt({ context, who }: Errand, { resource, id }: ItemTarget): Promise<Absent> {
  const movedTo = await findMove(context, who, resource, id)
  const tombstone = await tombstoneOf(context.store, resource, id)
  return { kind: 'absent', tombstone, movedTo, isTaken: false }
}

async function embedded(
  { context, who }: Errand,
  seen: Awaitable<Seen>,
  embeds: readonly FieldModel[],
): Promise<Seen> {
  const { view, links } = await seen
  const [whole = view] = await embedInto({ context, who, embeds, octets: context.limits.page }, [
    view,
  ])
  return { view: whole, links }
}

function changeConditions({ writing, transitions }: Rights) {
  return [...writing.values(), ...transitions.values()]
}

/** The row whose URI ends in the id. */
export function findById(
  store: Store,
  resource: ResourceModel,
  id: string,
  asks: readonly Condition[],
) {
  const value = keyValue(resource, id)
  if (value === undefined) return undefined
  const column = resource.key?.name ?? '_identity'
  return store.find({ table: resource.name, column, value, asks })
}

/** A path segment as the key's column holds it; undefined where no item could have it. */
function keyValue({ key }: ResourceModel, id: string): Exclude<Stored, null> | undefined {
  if (key?.kind !== 'integer') return id
  return /^(0|-?[1-9]\d{0,15})$/.test(id) ? Number(id) : undefined
}

function tombstoneOf(store: Store, resource: ResourceModel, id: string) {
  return resource.tombstones ? store.tombstone(resource.name, id) : undefined
}

/** The present URI of the item that had the id, for those who may read it. */
async function findMove(
  context: Context,
  who: Principal,
  resource: ResourceModel,
  id: string,
): Promise<string | undefined> {
  if (!resource.key) return undefined
  const identity = await context.store.movedFrom(resource.name, id)
  if (identity === undefined) return undefined
  return findVisibleUri(context, who, resource, identity)
}

/** Refuses what is not there, or not there for this caller: 404, 410, 401, 403; or answers 301. */
export function allowRecord(errand: Errand, current: Current): Awaitable<void> {
  if (current.kind === 'absent') return allowAbsent(errand, current)
  if (current.kind !== 'found' || current.permitted) return
  throw current.readable ? denial(errand.who) : absence()
}

async function allowAbsent({ context, who, method, target }: Errand, current: Absent) {
  if (target.kind !== 'item') return
  if (current.movedTo !== undefined) throw movedItem(target, current.movedTo)
  if (isCreation(method, target.resource, current) && mayCreate(who, target)) return
  if (await mightRead(context, who, target.resource, current.tombstone)) {
    throw refuse('gone', { detail: 'The item was deleted.' })
  }
  throw absence()
}

/** To every method, with the query as it was sent (CONTRACT 3). */
function movedItem(target: ItemTarget, uri: string) {
  const location = target.query === undefined ? uri : `${uri}?${target.query}`
  const fields = { 'Cache-Control': cacheControlOfError(301, target), Vary: varyOf(target) }
  return moved(location, fields)
}

/** PUT may make an item where the resource lets clients name its items. */
export function isCreation(method: Method, resource: ResourceModel, current: Current): boolean {
  return isCreatedBy(method, resource) && current.kind === 'absent'
}

function isCreatedBy(method: Method, { put }: ResourceModel): boolean {
  return method === 'PUT' && put === 'create'
}

/** Refuses an id that no item can have; false for whoever may not create: to them it is absent. */
function mayCreate(who: Principal, { resource, id }: ItemTarget): boolean {
  if (rightsOf(resource, who).create.kind === 'never') return false
  if (parseId(resource, id) !== undefined) return true
  throw refuse('not-found', { detail: 'No item can be here: it could not have this id.' })
}

async function mightRead(
  { store }: Context,
  who: Principal,
  resource: ResourceModel,
  tombstone: Tombstone | undefined,
): Promise<boolean> {
  if (!tombstone) return false
  return store.wouldHold(resource.name, tombstone.values, rightsOf(resource, who).read)
}

/** The same for what is absent and for what is hidden. */
export function absence() {
  return refuse('not-found', { detail: 'Nothing is here that you may see.' })
}
