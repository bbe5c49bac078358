/** Loads the page layout of HTML pages: navigation, account, alternate formats and titles. */

import { randomUUID } from 'node:crypto'
import { isPermittedAdmin } from '../../access/access-refusal.ts'
import type { Principal } from '../../access/principal.ts'
import type { JsonValue, Model, ResourceModel } from '../../definition/model.ts'
import { tokenChoicesOf } from '../../features/accounts/token-choices.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { uriWithoutFormat } from '../../requests/context/target.ts'
import { findOwnAccount } from '../../requests/documents/own-account.ts'
import { explanationScope } from '../../requests/explanations/access-explanation.ts'
import { otherFormats, uriInFormat } from '../../requests/respond/offered-formats.ts'
import { isListable } from '../../views/form-input.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { extensionRelation } from '../../views/link-relation.ts'
import { collectionUri, itemUri } from '../../views/uri.ts'
import type { AggregateView, CollectionView, DocumentView, ItemView } from '../../views/view.ts'
import { filteredIds } from '../lists/filter-text.ts'
import { activeFilters, parseListLocation } from '../lists/list-location.ts'
import { itemTitle } from '../pages/item-page.ts'
import { loadCollectionFigures } from './collection-figures.ts'
import { loadItemTitles, type ReferencedItems, referencesIn, referencesInVersions } from './item-titles.ts'
import type { Alternate, PageLayout, ParentHeading, ReferenceChoices } from './page-layout.ts'
import { loadChosen, loadReferenceChoices } from './reference-choices.ts'
import { loadReferringItems } from './referring-items.ts'

type PageView = ItemView | CollectionView | AggregateView | DocumentView

/** The view with its page layout when the format is HTML; else the view unchanged. `parent`: of a sub-collection. */
export async function withPageLayout<V extends PageView>(
  context: RequestContext,
  view: V,
  parent?: ItemView,
): Promise<V> {
  if (!context.format.isHtml) return view
  return { ...view, layout: await loadLayout(context, view, parent) }
}

async function loadLayout(
  context: RequestContext,
  view: PageView,
  parent: ItemView | undefined,
): Promise<PageLayout> {
  const { service, caller } = context
  const uri = uriOf(context, view)
  return {
    ...createBaseLayout(service, caller, { origin: context.origin, uri }),
    account: await findOwnAccount(service, caller),
    alternates: alternatesOf(context, uri),
    titles: await loadItemTitles(service, caller, referencesOf(service.model, view)),
    choices: await loadChoices(context, view, uri),
    referring: view.kind === 'item' ? await loadReferringItems(service, caller, view) : [],
    ...(view.kind === 'document' && view.page === 'home'
      ? { collections: await loadCollectionFigures(service, caller) }
      : {}),
    ...(parent ? { parent: headingOf(service.model, caller, parent) } : {}),
    ...tokenChoicesOf(service, caller, resourceOf(context, view)),
    ...noticeOf(context, view),
    ...(mayExplainAccess(context, view) ? { explainsAccess: true } : {}),
    ...(context.viewedAs === undefined ? {} : { viewedAs: context.viewedAs }),
  }
}

/** The resource of the items, or of the form, that the page shows. */
function resourceOf({ target }: RequestContext, view: PageView): ResourceModel | undefined {
  if (view.kind === 'item') return view.visibleFields.resource
  if ('resource' in view) return view.resource
  return target.kind === 'document' ? target.collection?.resource : undefined
}

/** The items that the filters of a list name, and those that the forms of the page offer. */
async function loadChoices(
  { service, caller }: RequestContext,
  view: PageView,
  uri: string,
): Promise<PageLayout['choices']> {
  const filtered = 'resource' in view ? await loadFilterChoices(service, caller, view.resource, { uri }) : []
  return new Map([...filtered, ...(await loadReferenceChoices(service, caller, shownActions(view)))])
}

/** The items that the filters of a list name, by collection, as far as the caller may read them. */
async function loadFilterChoices(
  context: Pick<ServiceContext, 'store'>,
  caller: Principal,
  resource: ResourceModel,
  layout: Pick<PageLayout, 'uri'>,
): Promise<ReadonlyMap<string, ReferenceChoices>> {
  const filters = activeFilters(parseListLocation(layout))
  const named = filters.flatMap((filter) => filteredIds(resource, filter) ?? [])
  const loaded = await Promise.all(
    [...Map.groupBy(named, ({ target }) => target)].map(async ([target, own]) => {
      const ids = own.flatMap((one) => one.ids)
      const items = await loadChosen(context, caller, target, ids)
      return [target.name, { items, isComplete: false }] as const
    }),
  )
  return new Map(loaded)
}

/** The actions whose forms the page shows: items are created and edited on pages of their own. */
function shownActions(view: PageView): readonly Action[] {
  const actions = view.hypermedia?.actions ?? []
  if (view.kind === 'document') return actions
  const below = view.kind === 'item' ? [...(view.subCollections?.values() ?? [])] : []
  const own = actions.filter(({ name, createsItem }) => name !== 'default' || createsItem === false)
  return [...own, ...below.flatMap(({ hypermedia }) => hypermedia?.actions ?? [])]
}

/** The notice of the last form, or of this request where it has created the item. */
function noticeOf(
  { service, caller, method, notice }: RequestContext,
  view: PageView,
): Pick<PageLayout, 'notice'> {
  if (notice) return { notice }
  if (view.kind !== 'item' || method !== 'POST') return {}
  const isAccount = view.visibleFields.resource === service.model.accounts?.resource
  return { notice: { kind: isAccount && caller.kind === 'anonymous' ? 'signed-up' : 'created' } }
}

/** Of the pages of declared resources, and of items of built-in ones. */
function mayExplainAccess({ service, caller, target, viewedAs }: RequestContext, view: PageView): boolean {
  const isItem = view.kind === 'item' && target.kind === 'item' && target.within === undefined
  const isList = view.kind === 'collection' && target.kind === 'collection' && !target.parent
  const isExplained = isItem || (isList && target.resource.declared)
  return viewedAs === undefined && isExplained && isPermittedAdmin(service.model, caller, explanationScope)
}

/** The page layout that needs no store query. */
export function createBaseLayout(
  { model, tagKey }: Pick<ServiceContext, 'model' | 'tagKey'>,
  caller: Principal,
  { origin, uri }: Pick<PageLayout, 'origin' | 'uri'>,
): PageLayout {
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
    canSignIn: model.accounts !== undefined,
    alternates: [],
    titles: new Map(),
    choices: new Map(),
    referring: [],
    formKey: randomUUID(),
  }
}

/** The URI of the page; after a write, that of the item. */
function uriOf({ service, method, target }: RequestContext, view: PageView): string {
  if (view.kind !== 'item' || method === 'GET' || method === 'HEAD') return uriWithoutFormat(target)
  return itemUri(service.model, view.visibleFields.resource, view.row)
}

function alternatesOf(context: RequestContext, uri: string): readonly Alternate[] {
  return otherFormats(context).map(({ name, mediaType }) => ({
    name,
    mediaType,
    uri: uriInFormat(uri, name),
  }))
}

function referencesOf(model: Model, view: PageView): readonly ReferencedItems[] {
  switch (view.kind) {
    case 'collection':
      return referencesIn(view.items)
    case 'item':
      return [[view], ...listsBelow(view)].flatMap(referencesIn)
    case 'aggregate':
      return groupReferences(view)
    case 'document':
      return view.item ? [...referencesIn([view.item]), ...referencesInHistory(model, view, view.item)] : []
  }
}

function referencesInHistory(model: Model, { page, data }: DocumentView, item: ItemView) {
  if (page !== 'history') return []
  // The data of features/history/history-document.ts.
  const versions = data as readonly Readonly<Record<string, JsonValue>>[]
  return referencesInVersions(model, item.visibleFields.resource, versions)
}

function groupReferences({ members, rows }: AggregateView): readonly ReferencedItems[] {
  return members.flatMap(({ target }, at) => {
    const identities = rows.flatMap((row) => row.identities[at] ?? [])
    return target ? [{ target, identities: [...new Set(identities)], shown: 'identity' as const }] : []
  })
}

/** The items of each sub-collection that the page of an item shows. */
function listsBelow({ subCollections }: ItemView): readonly (readonly ItemView[])[] {
  return [...(subCollections?.values() ?? [])].map(({ items }) => items)
}

function headingOf(model: Model, caller: Principal, parent: ItemView): ParentHeading {
  const { resource } = parent.visibleFields
  return {
    collection: resource.name,
    collectionUri: isListable(resource, caller) ? collectionUri(model, resource) : undefined,
    title: itemTitle(parent),
    uri: itemUri(model, resource, parent.row),
  }
}
