/** Loads the state of the target, with one store query that also evaluates the caller's rights on it. */

import { type Rights, rightsOf } from '../../access/rights.ts'
import { IDENTITY } from '../../definition/model.ts'
import { modelInVersion } from '../../definition/model-in-version.ts'
import { eventStream } from '../../formats/server-sent-events.ts'
import type { ItemSelection } from '../../query/item-query.ts'
import { all } from '../../store/condition.ts'
import { schemaLink } from '../../views/item-links.ts'
import { createItemView } from '../../views/item-view.ts'
import { extensionRelation } from '../../views/link-relation.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { listEventsUri, pathAboveReserved } from '../../views/uri.ts'
import type { DocumentView, ItemView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import { createsAtUri, operationOf } from '../context/operation-of.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsBaseUri, type ServiceContext } from '../context/service-context.ts'
import type {
  ActionTarget,
  CollectionTarget,
  DocumentTarget,
  ElementTarget,
  FileTarget,
  ItemTarget,
  StoredFileTarget,
} from '../context/target.ts'
import { conditionOf } from '../decisions/permission.ts'
import type { ResolvedQuery } from '../decisions/resolved-query.ts'
import { parentLinks } from './collection-links.ts'
import type {
  AbsentItem,
  FoundItem,
  ListState,
  LoadedAggregates,
  LoadedDocument,
  NotLoaded,
  StreamedState,
} from './current-state.ts'
import { deriveInto } from './derived-values.ts'
import { embedInto } from './embedding.ts'
import { findTargetFile } from './file-in-row.ts'
import { findById, hiddenItem, loadAbsence } from './find-item.ts'
import { itemPresenter } from './item-presenter.ts'
import { loadedLinkset } from './linkset-view.ts'
import { loadAggregates } from './load-aggregates.ts'
import { loadCollection } from './load-collection.ts'
import { loadParent, readConditionOf } from './load-parent.ts'

/** The collection; of a sub-collection the parent first, which decides whether it exists. */
export async function loadListed(
  context: RequestContext<CollectionTarget>,
  { list }: ResolvedQuery,
): Promise<ListState | AbsentItem> {
  const { target } = context
  const parent = target.parent && (await loadParent(context, target.parent))
  if (parent?.kind === 'absent') return parent
  if (context.format === eventStream) return { ...streamed, parent }
  return list ? loadCollection(context, target, { query: list, parent }) : { kind: 'not-loaded', parent }
}

/** The groups of the collection; of a sub-collection the parent first. */
export async function loadGroups(
  context: RequestContext<CollectionTarget>,
  { list }: ResolvedQuery,
): Promise<LoadedAggregates | AbsentItem> {
  const { target, caller } = context
  const parent = target.parent && (await loadParent(context, target.parent))
  if (parent?.kind === 'absent') return parent
  if (!list?.aggregation) throw new Error('A request for groups has an aggregation')
  const condition = all([readConditionOf(target, caller, parent), list.condition])
  return loadAggregates(context, list.aggregation, condition)
}

const streamed: StreamedState = { kind: 'streamed', parent: undefined }

/** A document, or the stream of its changes. */
export async function loadDocument(
  context: RequestContext<DocumentTarget>,
  { feedStart: from }: ResolvedQuery,
  { service }: { readonly service: ServiceContext },
): Promise<LoadedDocument | StreamedState> {
  if (context.format === eventStream) return streamed
  const { target } = context
  const { document } = target
  const { caller, format, origin, version } = context
  const described = document.describesInterface ? describedService(service, version) : service
  if (!document.load) throw new Error(`The document ${document.route} responds by itself`)
  const loaded = await document.load({ service: described, caller, target, origin, from, version })
  const { data: shown, hypermedia, name, ...beside } = loaded
  const links = hypermedia?.links ?? []
  const relations = relationsBaseUri(described, origin)
  const offered = format.hypermedia === 'actions' ? hypermedia : hypermedia && { links, actions: [] }
  const view: DocumentView = {
    kind: 'document',
    ...(shown instanceof Uint8Array ? { data: null, octets: shown } : { data: shown }),
    ...(document.name === undefined ? {} : { name: name ?? document.name, page: document.name }),
    ...(document.table ? { table: document.table } : {}),
    ...beside,
    ...(format.hypermedia && offered ? { hypermedia: { ...offered, relations } } : {}),
  }
  return { kind: 'document', view, links }
}

/** The service with the model of the version that the request names. */
function describedService(service: ServiceContext, version: RequestContext['version']): ServiceContext {
  return version ? { ...service, model: modelInVersion(service.model, version) } : service
}

/** The item of an action; none for an action on a collection. */
export async function loadActionState(
  context: RequestContext<ActionTarget>,
  query: ResolvedQuery,
): Promise<FoundItem | AbsentItem | NotLoaded> {
  return isOnItem(context) ? loadItem(context, query) : { kind: 'not-loaded', parent: undefined }
}

type ItemActionTarget = ActionTarget & { readonly id: string }

function isOnItem(context: RequestContext<ActionTarget>): context is RequestContext<ItemActionTarget> {
  return context.target.id !== undefined
}

/** An item, or a target whose state is that of an item. */
type StoredTarget = ItemTarget | ElementTarget | FileTarget | StoredFileTarget | ItemActionTarget

/** The item, with the rights that the operation needs. */
export async function loadItem(
  context: RequestContext<StoredTarget>,
  { selection: { fields, embeds } }: ResolvedQuery,
): Promise<FoundItem | AbsentItem> {
  const { unit, caller, target } = context
  const operation = operationOf(context)
  const { resource, id } = target
  const within = target.kind === 'item' ? target.within : undefined
  const parent = within && (await loadParent(context, within))
  if (parent?.kind === 'absent') return parent
  const rights = rightsOf(resource, caller)
  const right = conditionOf(context, rights)
  const selector = createFieldSelector(rights, 'item', fields)
  const changes = operation.right === 'update' ? changeConditions(rights) : []
  const isPresented = operation.query === 'selection' || operation.offers === 'links'
  const presenter = isPresented ? itemPresenter(context, selector, rights) : undefined
  const shown = presenter ? presenter.conditions : selector.conditions
  const checks = createRowChecks(resource, [rights.read, right, ...shown, ...changes])
  const row = await findById(unit.store, resource, id, checks.conditions)
  if (!row) return loadAbsence(unit, caller, target)
  if (parent && row[parent.relation.field.index] !== parent.row[IDENTITY]) return hiddenItem
  const isTrue = checks.readResults(row)
  const isReadable = isTrue(rights.read)
  const isPermitted = isTrue(right)
  // Content is checked as if the id were free, so that a refusal of it does not reveal the item.
  const mayCreate = createsAtUri(operation, resource)
  if (!isReadable && !isPermitted && mayCreate) return hiddenItem
  const { view, links } =
    presenter && isReadable
      ? await presenter.present(row, isTrue)
      : { view: createItemView(row, selector, isTrue), links: () => [] }
  const isShown = isReadable && !isPart(target)
  const complete = isShown && isIncomplete(view, embeds) ? await completeItem(context, view, embeds) : view
  return { kind: 'found', row, view: complete, links, rights, isReadable, isPermitted, isTrue }
}

/** The item, with the file that the target names. */
export async function loadFile(
  context: RequestContext<FileTarget>,
  query: ResolvedQuery,
): Promise<FoundItem | AbsentItem> {
  const current = await loadItem(context, query)
  if (current.kind === 'absent') return current
  return { ...current, file: findTargetFile(context.target, current.row) }
}

/** The item, with the file that it has, or had in a version that the caller may see. */
export async function loadStoredFile(
  context: RequestContext<StoredFileTarget>,
  query: ResolvedQuery,
): Promise<FoundItem | AbsentItem> {
  const { service, unit, caller, target } = context
  const current = await loadItem(context, query)
  if (current.kind === 'absent' || !current.isReadable) return current
  const file = await service.files?.findStoredFile({ ...target, store: unit.store, caller })
  return { ...current, file }
}

/** The links of an item, for callers who may read it. */
export async function loadItemLinks(
  context: RequestContext<ItemTarget>,
  query: ResolvedQuery,
): Promise<LoadedDocument | FoundItem | AbsentItem> {
  const current = await loadItem(context, query)
  return current.kind === 'found' && current.isPermitted ? loadedLinkset(context, current.links()) : current
}

/** The links of a collection, or of a sub-collection whose parent the caller may read. */
export async function loadCollectionLinks(
  context: RequestContext<CollectionTarget>,
): Promise<LoadedDocument | AbsentItem> {
  const { service, target } = context
  const parent = target.parent && (await loadParent(context, target.parent))
  if (parent?.kind === 'absent') return parent
  const events = { target: listEventsUri(pathAboveReserved(target.path)), rel: extensionRelation('events') }
  const own = [...parentLinks(service, parent), schemaLink(service.model, target.resource), events]
  return loadedLinkset(context, own)
}

function isPart({ kind }: StoredTarget): boolean {
  return kind === 'element' || kind === 'file' || kind === 'storedFile'
}

/** Whether the item has derived fields, or embeds items. */
function isIncomplete({ visibleFields }: ItemView, embeds: ItemSelection['embeds']): boolean {
  return embeds.length > 0 || visibleFields.derived.length > 0
}

/** The item with its derived fields and the items it embeds. */
async function completeItem(
  { unit, caller }: RequestContext,
  view: ItemView,
  embeds: ItemSelection['embeds'],
): Promise<ItemView> {
  const derived = await deriveInto({ unit, caller }, [view])
  const [complete = view] = await embedInto({ unit, caller, embeds, octets: unit.limits.page }, derived)
  return complete
}

function changeConditions({ writability, transitions }: Rights) {
  return [...writability.values(), ...transitions.values()]
}
