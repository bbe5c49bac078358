/** Loads a collection: a page of it, or only the table revisions that its entity tag is computed from. */

import { isSameForEveryCaller } from '../../access/derived-value.ts'
import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { subCollectionRights } from '../../access/sub-collection-rights.ts'
import type { DerivedModel, ResourceModel } from '../../definition/model.ts'
import type { Embed } from '../../query/embed-parameter.ts'
import type { ListQuery } from '../../query/list-query.ts'
import { canBeTrue, isAlwaysTrue } from '../../store/condition.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { createLinkBuilder, selectorWithLinks } from '../../views/item-links.ts'
import { createFieldSelector, type FieldSelector } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import { type CollectionTarget, uriWithoutFormat } from '../context/target.ts'
import { withoutDryRun } from '../decisions/dry-run.ts'
import { collectionHypermedia } from './collection-links.ts'
import type { LoadedPage, NotLoaded, ParentItem, StreamedState, UnloadedPage } from './current-state.ts'
import { type ListContext, loadListPage } from './list-page.ts'
import { identityOf, readConditionOf } from './load-parent.ts'
import { responseCacheKey } from './response-cache.ts'
import {
  findRevisedTables,
  keyResourcesOf,
  loadRevisions,
  loadTableStates,
  sourceTables,
} from './table-revisions.ts'

/**
 * The state of a collection. A page that every caller sees alike is not loaded yet when the store
 * counts the revisions of its tables; a whole collection is loaded while it is sent.
 */
export async function loadCollection(
  context: RequestContext,
  target: CollectionTarget,
  { query, parent }: { readonly query: ListQuery; readonly parent: ParentItem | undefined },
): Promise<LoadedPage | UnloadedPage | StreamedState | NotLoaded> {
  const { unit, caller, method, format } = context
  const { resource } = target
  const rights = rightsOf(resource, caller)
  const readCondition = readConditionOf(target, caller, parent)
  // A caller who may never read the collection gets no representation of it.
  if (readCondition.kind === 'never') return { kind: 'not-loaded', parent }
  // Formats that can be streamed show the whole collection, unless the client sets a limit.
  const isBounded = query.linkParameters.some(([name]) => name === 'limit') || query.pageStart?.backwards
  if (format.stream && !isBounded) return { kind: 'streamed', parent }
  const selector = createFieldSelector(rights, 'list', query.fields)
  const list: ListContext = {
    unit,
    caller,
    selector,
    uri: target.path,
    readCondition,
    query,
    format,
  }
  if (format.hypermedia) return loadLinkedPage(context, target, { list, parent })
  const sources = sourcesOf(list)
  // States and revisions are read before any row.
  const tableStates =
    method === 'POST' ? await loadTableStates(unit.store, sourceTables(sourceResources(sources))) : []
  const isAlike = isReadByAll(target, caller) && isAlwaysTrue(rights.read) && areSameForEveryCaller(sources)
  const revised = isAlike ? findRevisedTables(sourceResources(sources), caller) : undefined
  const revisions = revised && (await loadRevisions(unit.store, revised))
  if (revised && revisions) {
    return unloadedPage(context, list, sources.selectors, { tableStates, revisions, revised, parent })
  }
  return { kind: 'page', page: await loadListPage(list), list, tableStates, parent }
}

/** The relations, selectors and derived fields that the items of a page depend on. */
interface PageSources {
  readonly caller: Principal
  readonly resource: ResourceModel
  /** The relations that the query follows and embeds. */
  readonly followed: readonly Pick<Embed, 'relation' | 'condition'>[]
  /** Of the items and of the embedded ones. */
  readonly selectors: readonly FieldSelector[]
  readonly derived: readonly DerivedModel[]
}

function sourcesOf({ query, selector, caller }: ListContext): PageSources {
  const { resource } = selector
  const embeds = allEmbeds(query.embeds)
  const embedded = embeds.map(({ relation }) => relation.target)
  const selectors = [
    selector,
    ...embedded.map((other) => createFieldSelector(rightsOf(other, caller), 'list')),
  ]
  const derived = [...query.derived, ...selectors.flatMap(derivedFields)]
  return { caller, resource, followed: [...query.steps, ...embeds], selectors, derived }
}

/** The resources whose changes may change the page, besides those whose keys they show. */
function sourceResources({ resource, followed, derived }: PageSources): readonly ResourceModel[] {
  const shown = [resource, ...followed.map(({ relation }) => relation.target)]
  return [...new Set([...shown, ...derived.flatMap(derivedResources)])]
}

function areSameForEveryCaller({ caller, resource, followed, selectors, derived }: PageSources): boolean {
  const shown = [resource, ...followed.map(({ relation }) => relation.target)]
  return (
    shown.every((one) => areKeysReadByAll(one, caller)) &&
    derived.every((one) => isDerivedSameForEveryCaller(one, caller)) &&
    followed.every(({ condition }) => isAlwaysTrue(condition)) &&
    selectors.every(({ conditions }) => conditions.length === 0)
  )
}

/** Whether the rules hide no item whose key a reference of the resource may show: a hidden one would move the tag. */
function areKeysReadByAll(resource: ResourceModel, caller: Principal): boolean {
  return keyResourcesOf(resource).every((other) => isAlwaysTrue(rightsOf(other, caller).read))
}

/** Whether the rules hide neither the parent nor an item of a sub-collection from any caller. */
function isReadByAll({ parent }: CollectionTarget, caller: Principal): boolean {
  if (!parent) return true
  const conditions = [
    rightsOf(parent.resource, caller).read,
    subCollectionRights(parent.relation, caller).read,
  ]
  return conditions.every(isAlwaysTrue)
}

/** The embeds, with those within them. */
function allEmbeds(embeds: readonly Embed[]): readonly Embed[] {
  return embeds.flatMap((embed) => [embed, ...allEmbeds(embed.embeds)])
}

/** A page that every caller sees alike: its tag needs no row. */
function unloadedPage(
  context: RequestContext,
  list: ListContext,
  selectors: readonly FieldSelector[],
  tables: Pick<UnloadedPage, 'tableStates' | 'revisions' | 'revised' | 'parent'>,
): UnloadedPage {
  const { unit, target } = context
  const { query } = list
  // The normalised query, so that equal content has equal tags. The budget decides which items fit.
  const fields = selectors.map(fieldNames)
  // Another item may take the key of the parent without a change of the listed tables.
  const within = tables.parent ? [identityOf(tables.parent)] : []
  const uri = uriWithoutFormat({ ...target, query: withoutDryRun(target.query) })
  // Equal numbers of all changes and of public ones are of different states.
  const hidden = tables.revised.filter(({ changes }) => changes === 'public').map(({ table }) => table)
  const name = JSON.stringify([uri, query.listKey, fields, unit.limits.page, hidden, ...within])
  const key = responseCacheKey(context, name, tables.revisions)
  return { kind: 'unloaded-page', ...tables, list, pageKey: name, cacheKey: key }
}

/** A page in a format that shows links: its tag is computed from the rows and from the links and actions. */
async function loadLinkedPage(
  context: RequestContext,
  target: CollectionTarget,
  {
    list: { selector, ...rest },
    parent,
  }: { readonly list: ListContext; readonly parent: ParentItem | undefined },
): Promise<LoadedPage> {
  const { unit, caller, method } = context
  const { resource } = target
  const linked = selectorWithLinks(selector, createLinkBuilder(unit.model, resource, caller))
  const list: ListContext = { ...rest, selector: linked }
  const tableStates = method === 'POST' ? await loadTableStates(unit.store, sourceTables([resource])) : []
  const page = await loadListPage(list)
  const hypermedia = await collectionHypermedia({ ...context, target }, page.links, parent)
  const view = { ...page.view, hypermedia, ...(parent && { parentField: parent.relation.field }) }
  return { kind: 'page', page: { ...page, view }, list, tableStates, parent }
}

/** The derived fields that at least one row may show. */
function derivedFields({ resource, selectFields }: FieldSelector): readonly DerivedModel[] {
  return resource.derived.length === 0 ? [] : selectFields(canBeTrue).derived
}

/** The resources that a derived field is computed from, besides that of the item. */
function derivedResources(derived: DerivedModel): readonly ResourceModel[] {
  return derived.kind === 'aggregate' ? [derived.inverse.target] : []
}

/** Whether the value is the same for every caller until a table changes; a computed value may depend on the time. */
function isDerivedSameForEveryCaller(derived: DerivedModel, caller: Principal): boolean {
  return derived.kind === 'aggregate' && isSameForEveryCaller(derived, caller)
}

/** The names of the fields that every row shows; the selector has no conditions. */
const fieldNames = memoizeByObject(({ selectFields }: FieldSelector): string => {
  const { fields, times } = selectFields(isAlwaysTrue)
  return [...fields, ...times].map((field) => field.name).join()
})
