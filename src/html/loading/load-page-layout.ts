/** Loads the page layout of HTML pages: navigation, account, alternate formats and titles. */

import { randomUUID } from 'node:crypto'
import { isPermittedAdmin } from '../../access/access-refusal.ts'
import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { Model, ResourceModel } from '../../definition/model.ts'
import { safeMethods } from '../../http/method.ts'
import { kindOf } from '../../requests/context/operation-of.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { hasDocument, type ServiceContext, type Unit } from '../../requests/context/service-context.ts'
import { type ParentTarget, uriWithoutFormat } from '../../requests/context/target.ts'
import { explanationScope } from '../../requests/explanations/access-explanation.ts'
import type { RequestResult } from '../../requests/handle-request.ts'
import { findById } from '../../requests/read/find-item.ts'
import { mayReturnSecret } from '../../requests/respond/cacheability.ts'
import { otherFormats, uriInFormat } from '../../requests/respond/offered-formats.ts'
import { isListable } from '../../views/form-input.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { createItemView } from '../../views/item-view.ts'
import { extensionRelation } from '../../views/link-relation.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { auditUri, collectionUri, itemUri, passkeyUri, signInUri } from '../../views/uri.ts'
import type { AggregateView, CollectionView, DocumentView, ItemView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import type { Notice } from '../forms/notice-view.ts'
import { filteredIds } from '../lists/filter-text.ts'
import { activeFilters, parseListLocation } from '../lists/list-location.ts'
import { entriesOf } from '../pages/entries-page.ts'
import { itemTitle } from '../pages/item-page.ts'
import type { ViewedAs } from '../view-as/view-as.ts'
import { loadAccountLink } from './account-link.ts'
import { loadCollectionFigures } from './collection-figures.ts'
import { loadItemParts } from './item-parts.ts'
import {
  loadItemTitles,
  loadReferredTextsOf,
  type ReferencedItems,
  referencesIn,
  referencesInEntries,
} from './item-titles.ts'
import { loadListFigures } from './list-figures.ts'
import type { Alternate, PageLayout, ParentHeading, ReferenceChoices } from './page-layout.ts'
import { loadChosen, loadReferenceChoices } from './reference-choices.ts'
import { loadReferringItems } from './referring-items.ts'
import { loadSubCollections } from './sub-collection-views.ts'
import { tokenChoicesOf } from './token-choices.ts'

/** A view that a page shows: of all but refusals. */
type LoadedView = ItemView | CollectionView | AggregateView | DocumentView

/** The words of a page beside the result that it shows. */
export interface PageMarks {
  /** The effect of the last form, to be said once. */
  readonly notice?: Notice | undefined
  /** Whom an administrator sees the page as; the caller of the result is then that account or role. */
  readonly viewedAs?: ViewedAs | undefined
}

/** Loads what the page of a result shows around the view. */
export async function loadPageLayout(
  { context, current }: RequestResult,
  view: LoadedView,
  { notice, viewedAs }: PageMarks,
): Promise<PageLayout> {
  const { service, unit, caller } = context
  const uri = uriOf(context, view)
  const subCollections = view.kind === 'item' ? await loadShownSubCollections(context, view) : undefined
  const below = [...(subCollections?.values() ?? [])]
  const isHome = view.kind === 'document' && view.page === 'home'
  const layout: PageLayout = {
    ...createBaseLayout(service, caller, { origin: context.origin, uri }),
    account: await loadAccountLink(unit, caller),
    alternates: alternatesOf(context, uri),
    titles: await loadTitlesOf(context, view, below),
    choices: await loadChoices(context, view, { uri, actions: shownActions(view, below) }),
    referring: view.kind === 'item' ? await loadReferringItems(unit, caller, view) : [],
    subCollections,
    collections: isHome ? await loadCollectionFigures(unit, caller) : undefined,
    parent: await loadParentHeading(context, view),
    ...tokenChoicesOf(service, caller, resourceOf(view)),
    notice: notice ?? creationNotice(context, view),
    viewedAs,
    explainsAccess: viewedAs === undefined && mayExplainAccess(context, view),
  }
  if (view.kind === 'item') return { ...layout, ...(await loadItemParts(context, layout, view)) }
  if (view.kind !== 'collection' || current.kind !== 'page' || context.method === 'POST') return layout
  return { ...layout, figures: await loadListFigures(context, { list: current.list, view, layout }) }
}

/** The titles of the items that the page refers to, and what the titles of its own items take from others. */
async function loadTitlesOf(
  { service, unit, caller }: RequestContext,
  view: LoadedView,
  below: readonly CollectionView[],
): Promise<PageLayout['titles']> {
  const titles = await loadItemTitles(unit, caller, referencesOf(service.model, view, below))
  const own = view.kind === 'document' ? view.item : view
  const referred = await loadReferredTextsOf(unit, caller, own?.kind === 'item' ? withEmbedded(own) : [])
  return new Map([...titles, ...referred])
}

/** The item, and those that are embedded in it. */
function withEmbedded(item: ItemView): readonly ItemView[] {
  const embedded = [...(item.embedded?.values() ?? [])]
  return [item, ...embedded.flatMap((one) => (one.kind === 'list' ? one.items : withEmbedded(one)))]
}

/** Of an item that a form has just created with a secret, the page shows the secret and no more. */
async function loadShownSubCollections(
  context: RequestContext,
  view: ItemView,
): Promise<PageLayout['subCollections']> {
  const { method, target } = context
  const isShownWhole = safeMethods.has(method) || !mayReturnSecret(target)
  return isShownWhole ? loadSubCollections(context, view) : undefined
}

/** The resource of the items, or of the form, that the page shows. */
function resourceOf(view: LoadedView): ResourceModel | undefined {
  if (view.kind === 'item') return view.visibleFields.resource
  return view.resource
}

/** The items that the filters of a list name, and those that the forms of the page offer. */
async function loadChoices(
  { unit, caller }: RequestContext,
  view: LoadedView,
  { uri, actions }: { readonly uri: string; readonly actions: readonly Action[] },
): Promise<PageLayout['choices']> {
  const filtered =
    view.kind === 'collection' || view.kind === 'aggregate'
      ? await loadFilterChoices(unit, caller, view.resource, { uri })
      : []
  return new Map([...filtered, ...(await loadReferenceChoices(unit, caller, actions))])
}

/** The items that the filters of a list name, by collection, as far as the caller may read them. */
async function loadFilterChoices(
  unit: Pick<Unit, 'store' | 'limits'>,
  caller: Principal,
  resource: ResourceModel,
  layout: Pick<PageLayout, 'uri'>,
): Promise<ReadonlyMap<string, ReferenceChoices>> {
  const filters = activeFilters(parseListLocation(layout))
  const named = filters.flatMap((filter) => filteredIds(resource, filter) ?? [])
  const loaded = await Promise.all(
    [...Map.groupBy(named, ({ target }) => target)].map(async ([target, own]) => {
      const ids = own.flatMap((one) => one.ids)
      const items = await loadChosen(unit, caller, target, ids)
      return [target.name, { items, isComplete: false }] as const
    }),
  )
  return new Map(loaded)
}

/** The actions whose forms the page shows: items are created and edited on pages of their own. */
function shownActions(view: LoadedView, below: readonly CollectionView[]): readonly Action[] {
  const actions = view.hypermedia?.actions ?? []
  if (view.kind === 'document') return actions
  const own = actions.filter(({ name, createsItem }) => name !== 'default' || createsItem === false)
  return [...own, ...below.flatMap(({ hypermedia }) => hypermedia?.actions ?? [])]
}

/** The notice of a request that has created the item that its page shows. */
function creationNotice({ service, caller, method }: RequestContext, view: LoadedView): Notice | undefined {
  if (view.kind !== 'item' || method !== 'POST') return undefined
  const isAccount = view.visibleFields.resource === service.model.accounts?.resource
  return { kind: isAccount && caller.kind === 'anonymous' ? 'signed-up' : 'created' }
}

/** Of the pages of declared resources, and of items of built-in ones. */
function mayExplainAccess({ service, caller, target }: RequestContext, view: LoadedView): boolean {
  const isItem = view.kind === 'item' && target.kind === 'item' && target.within === undefined
  const isList = view.kind === 'collection' && target.kind === 'collection' && !target.parent
  const isExplained = isItem || (isList && target.resource.declared)
  return isExplained && isPermittedAdmin(service.model, caller, explanationScope)
}

/** The page layout that needs no store query. */
export function createBaseLayout(
  service: Pick<ServiceContext, 'model' | 'routes' | 'tagKey'>,
  caller: Principal,
  { origin, uri }: Pick<PageLayout, 'origin' | 'uri'>,
): PageLayout {
  const { model, tagKey } = service
  const listed = [...model.resources.values()].filter(
    (resource) => resource.declared && isListable(resource, caller),
  )
  return {
    model,
    caller,
    origin,
    uri,
    tagKey,
    navigation: listed.map((resource) => ({
      target: collectionUri(model, resource),
      rel: extensionRelation(resource.name),
    })),
    account: undefined,
    canSignIn: hasDocument(service, signInUri(model)),
    hasPasskeys: hasDocument(service, passkeyUri(model)),
    hasAudit: hasDocument(service, auditUri(model)),
    alternates: [],
    titles: new Map(),
    choices: new Map(),
    referring: [],
    formKey: randomUUID(),
  }
}

/** The URI of the page; after a write, that of the item. */
function uriOf({ service, method, target }: RequestContext, view: LoadedView): string {
  if (view.kind !== 'item' || method === 'GET' || method === 'HEAD') return uriWithoutFormat(target)
  return itemUri(service.model, view.visibleFields.resource, view.row)
}

/** The result of an action has no URI. */
function alternatesOf(context: RequestContext, uri: string): readonly Alternate[] {
  if (kindOf(context.target) === 'result') return []
  return otherFormats(context).map(({ name, mediaType }) => ({
    name,
    mediaType,
    uri: uriInFormat(uri, name),
  }))
}

function referencesOf(
  model: Model,
  view: LoadedView,
  below: readonly CollectionView[],
): readonly ReferencedItems[] {
  switch (view.kind) {
    case 'collection':
      return referencesIn(view.items)
    case 'item':
      return [[view], ...below.map(({ items }) => items)].flatMap(referencesIn)
    case 'aggregate':
      return groupReferences(view)
    case 'document':
      return [
        ...referencesIn(view.values ? [view.values] : []),
        ...referencesIn(view.items?.items ?? []),
        ...referencesIn(view.item ? [view.item] : []),
        ...referencesInEntries(model, entriesOf(view), {
          columns: view.table?.columns ?? [],
          resource: view.resource,
        }),
      ]
  }
}

function groupReferences({ members, rows }: AggregateView): readonly ReferencedItems[] {
  return members.flatMap(({ target }, at) => {
    const identities = rows.flatMap((row) => row.identities[at] ?? [])
    return target ? [{ target, identities: [...new Set(identities)], shown: 'identity' as const }] : []
  })
}

/** Of a sub-collection, and of a document of an item: the item. */
async function loadParentHeading(
  { unit, caller, target }: RequestContext,
  view: LoadedView,
): Promise<ParentHeading | undefined> {
  const list = target.kind === 'document' ? target.collection : target
  const parent = list?.kind === 'collection' ? list.parent : undefined
  const own = view.kind === 'document' ? view.item : undefined
  const item = parent ? await loadParentView(unit, caller, parent) : own
  return (
    item && {
      ...headingOf(unit.model, caller, item),
      title: itemTitle({ titles: await loadReferredTextsOf(unit, caller, [item]) }, item),
    }
  )
}

async function loadParentView(
  { store }: Pick<Unit, 'store'>,
  caller: Principal,
  { resource, id }: ParentTarget,
): Promise<ItemView | undefined> {
  const selector = createFieldSelector(rightsOf(resource, caller), 'list')
  const checks = createRowChecks(resource, selector.conditions)
  const row = await findById(store, resource, id, checks.conditions)
  return row && createItemView(row, selector, checks.readResults(row))
}

function headingOf(model: Model, caller: Principal, parent: ItemView): Omit<ParentHeading, 'title'> {
  const { resource } = parent.visibleFields
  return {
    collection: resource.name,
    collectionUri: isListable(resource, caller) ? collectionUri(model, resource) : undefined,
    uri: itemUri(model, resource, parent.row),
  }
}
