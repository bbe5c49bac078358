/** Loads the state of the target, with one store query that also evaluates the caller's rights on it. */

import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsAt, type ServiceContext } from '../context/service-context.ts'
import type { DocumentTarget, ItemTarget } from '../context/target.ts'
import type { ResourceModel, Stored } from '../definition/model.ts'
import { withPageChrome } from '../html-pages/page-chrome.ts'
import type { ItemSelection } from '../query/item-query.ts'
import { rightForMethod } from '../request/permission.ts'
import type { ResolvedQuery } from '../request/resolved-query.ts'
import type { Condition } from '../store/condition.ts'
import type { Store } from '../store/store.ts'
import { createItemView, createRowChecks } from '../view/row-checks.ts'
import { createFieldSelector } from '../view/shape.ts'
import type { DocumentView } from '../view/view.ts'
import type { AbsentItem, CurrentState, FoundItem, LoadedDocument } from './current-state.ts'
import { embedInto } from './embedding.ts'
import { createsAtUri } from './item-access.ts'
import { itemPresenter } from './item-presenter.ts'
import { loadCollection } from './load-collection.ts'
import { findVisibleUri } from './visible-uri.ts'

/** The current state of the target. */
export async function loadCurrentState(
  context: RequestContext,
  { selection, list }: ResolvedQuery,
): Promise<CurrentState> {
  const { target } = context
  if (target.kind === 'item') return loadItem(context, target, selection)
  if (target.kind === 'document') return loadDocument(context, target)
  if (target.kind === 'collection' && list) return loadCollection(context, target, list)
  return { kind: 'not-loaded' }
}

async function loadDocument(
  context: RequestContext,
  { document, parameter }: DocumentTarget,
): Promise<LoadedDocument> {
  const { service, caller, format, origin } = context
  const shown = await document.show(service, caller, parameter, origin)
  const hypermedia = await document.hypermedia?.(service, caller, parameter)
  const links = hypermedia?.links ?? []
  const relations = relationsAt(service, origin)
  const offered = format.hypermedia === 'actions' ? hypermedia : hypermedia && { links, actions: [] }
  const view: DocumentView = {
    kind: 'document',
    ...(shown instanceof Uint8Array ? { data: null, octets: shown } : { data: shown }),
    ...(document.name === undefined ? {} : { name: document.name }),
    ...(format.hypermedia && offered ? { hypermedia: { ...offered, relations } } : {}),
  }
  return { kind: 'document', view: await withPageChrome(context, view), links }
}

async function loadItem(
  context: RequestContext,
  target: ItemTarget,
  { fields, embeds }: ItemSelection,
): Promise<FoundItem | AbsentItem> {
  const { service, caller, method } = context
  const { resource, id } = target
  const rights = rightsOf(resource, caller)
  const right = rightForMethod(method, rights)
  const selector = createFieldSelector(rights, fields)
  const changes = method === 'PUT' || method === 'PATCH' ? changeConditions(rights) : []
  const reads = method === 'GET' || method === 'HEAD'
  const presenter = reads ? itemPresenter(context, selector, rights) : undefined
  const shown = presenter ? presenter.conditions : selector.conditions
  const checks = createRowChecks(resource, [rights.read, right, ...shown, ...changes])
  const row = await findById(service.store, resource, id, checks.conditions)
  if (!row) return loadAbsence(context, target)
  const holds = checks.readResults(row)
  const isReadable = holds(rights.read)
  const isPermitted = holds(right)
  // Content is checked as if the id were free, so that a refusal of it does not reveal the item.
  if (!isReadable && !isPermitted && createsAtUri(method, resource)) return hiddenItem
  const { view, links } =
    presenter && isReadable
      ? await presenter.present(row, holds)
      : { view: createItemView(row, selector, holds), links: () => [] }
  const [withEmbedded = view] = isReadable
    ? await embedInto({ service, caller, embeds, octets: service.limits.page }, [view])
    : [view]
  return { kind: 'found', row, view: withEmbedded, links, rights, isReadable, isPermitted, holds }
}

const hiddenItem: AbsentItem = {
  kind: 'absent',
  tombstone: undefined,
  movedTo: undefined,
  isHidden: true,
}

async function loadAbsence(
  { service, caller }: RequestContext,
  { resource, id }: ItemTarget,
): Promise<AbsentItem> {
  const movedTo = await findMovedUri(service, caller, resource, id)
  const tombstone = await findTombstone(service.store, resource, id)
  return { kind: 'absent', tombstone, movedTo, isHidden: false }
}

function changeConditions({ writability, transitions }: Rights) {
  return [...writability.values(), ...transitions.values()]
}

/** The row whose URI ends in the id, with the results of the conditions. */
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

/** The path segment as the key's column holds it; undefined when no item can have that id. */
function keyValue({ key }: ResourceModel, id: string): Exclude<Stored, null> | undefined {
  if (key?.kind !== 'integer') return id
  return /^(0|-?[1-9]\d{0,15})$/.test(id) ? Number(id) : undefined
}

function findTombstone(store: Store, resource: ResourceModel, id: string) {
  return resource.tombstones ? store.tombstone(resource.name, id) : undefined
}

/** The present URI of the item that had the id before; undefined when the caller may not read it. */
async function findMovedUri(
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
