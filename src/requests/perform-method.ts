/** Performs operations: how the state of a target is loaded, and how a method has its effect on that state. */

import { type Principal, system } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import { findChangedNames } from '../formats/form-reader.ts'
import { eventStream } from '../formats/server-sent-events.ts'
import { parseMediaType } from '../http/media-type.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import type { Method } from '../http/method.ts'
import { invalidContent, type Refusal, refuse } from '../refusal.ts'
import { isAlwaysTrue } from '../store/condition.ts'
import { type EntryHandler, performBatch } from './batch/perform-batch.ts'
import type { CoreRequest } from './context/core-request.ts'
import { kindOf, operationOf } from './context/operation-of.ts'
import type { OperationKind, operations } from './context/operations.ts'
import type { RequestContent } from './context/request-content.ts'
import type { RequestContext } from './context/request-context.ts'
import { type ServiceContext, withStore } from './context/service-context.ts'
import type {
  ActionTarget,
  CollectionTarget,
  DocumentTable,
  DocumentTarget,
  FileTarget,
  ItemTarget,
  RequestPerformer,
  StoredFileTarget,
} from './context/target.ts'
import type { ResolvedQuery } from './decisions/resolved-query.ts'
import { loadListFeed, streamEvents } from './events/event-feed.ts'
import type { FeatureCode, SentFileContent } from './feature-code.ts'
import { streamCollection } from './read/collection-stream.ts'
import type {
  AbsentItem,
  CurrentState,
  FoundItem,
  ListState,
  LoadedAggregates,
  LoadedDocument,
  MadeFile,
  StreamedState,
} from './read/current-state.ts'
import {
  loadActionState,
  loadCollectionLinks,
  loadDocument,
  loadFile,
  loadGroups,
  loadItem,
  loadItemLinks,
  loadListed,
  loadStoredFile,
} from './read/load-current-state.ts'
import { readAggregates, readCollection, readDocument, readItem, readMadeFile } from './read/read-target.ts'
import { varyOf } from './respond/cacheability.ts'
import { seeOther } from './respond/early-response.ts'
import type { ViewResponse } from './respond/finish-response.ts'
import { behaviourOf } from './table-behaviour.ts'
import { withOldNames } from './versions/check-old-version-content.ts'
import { type SentContent, toPresentContent } from './versions/content-in-version.ts'
import { createMany, isBulk } from './write/create-bulk.ts'
import { createWithItems, hasItems } from './write/create-with-items.ts'
import { draftCreation, membersOf } from './write/draft-from-content.ts'
import { queryTime } from './write/logic-runner.ts'
import type { PlannedChange } from './write/planned-change.ts'
import { addElement, removeElement } from './write/write-element.ts'
import { createAtUri, createItem, deleteItem, patchItem, replaceItem } from './write/write-item.ts'

/** A request that is decided as far as possible without its content and the current state. */
export interface Plan {
  readonly service: ServiceContext
  readonly documents: DocumentTable
  readonly context: RequestContext
  readonly request: CoreRequest
  readonly query: ResolvedQuery
  readonly content: RequestContent | undefined
  readonly features: FeatureCode
}

/** How the documents that take several requests perform each. */
export interface NestedRequests {
  readonly handleEntry: EntryHandler
  readonly performAlone: RequestPerformer
}

/** The parsed content, in the present shape. */
interface Sent extends SentContent {
  readonly plan: Plan
  readonly nested: NestedRequests
}

/** The result of an operation: a response, or a change that is still to be committed. */
export type Performed = ViewResponse | PlannedChange

/** The parts of a service that loaders need beside the context. */
type LoadingParts = Pick<Plan, 'service' | 'features'>

/** How the state of a target is loaded. Uploads, and the server as a whole, have none. */
const loaders = {
  item: loadItem,
  collection: loadListed,
  subCollection: loadListed,
  itemLinks: loadItemLinks,
  collectionLinks: loadCollectionLinks,
  collectionEvents: loadListFeed,
  aggregate: loadGroups,
  element: loadItem,
  action: loadActionState,
  result: loadActionState,
  job: loadActionState,
  madeFile: loadActionState,
  query: loadQueryResult,
  fileQuery: loadQueryResult,
  itemsQuery: loadQueryResult,
  ownAction: loadItem,
  file: loadFile,
  fileList: loadFile,
  storedFile: loadStoredFile,
  document: loadDocument,
  postedDocument: loadDocument,
  batch: loadDocument,
  selection: loadDocument,
} as const

/** Gets a state that its loader returns; none for an absent item, unless it can create one. */
type Performer<Load extends (context: never, query: ResolvedQuery, parts: LoadingParts) => unknown> = {
  perform(context: Parameters<Load>[0], current: Awaited<ReturnType<Load>>, sent: Sent): Promise<Performed>
}['perform']

type Rows = typeof operations
/** Operations that are performed alone, and those of files, whose responses have no view. */
type Others = { readonly alone: true } | { readonly offers: 'file' }

/** Exactly the other operations of the table: one more, or one less, is a fault of types. */
type Performers = {
  readonly [Kind in keyof typeof loaders]: {
    readonly [M in keyof Rows[Kind] as Rows[Kind][M] extends Others ? never : M]: Performer<
      (typeof loaders)[Kind]
    >
  }
}

const collection = { GET: readList, HEAD: readList, POST: createInCollection, QUERY: readList } as const
const document = { GET: readDocument, HEAD: readDocument } as const
const aggregate = { GET: readGroups, HEAD: readGroups, QUERY: readGroups } as const
const links = { GET: readLoaded, HEAD: readLoaded } as const
const action = { POST: performAction } as const

const performers: Performers = {
  item: {
    GET: readItem,
    HEAD: readItem,
    PUT: putItem,
    PATCH: (context: RequestContext<ItemTarget>, current: FoundItem, { body, content, plan }) =>
      patchItem(context, current, { body, content, tables: plan.features.tables }),
    DELETE: (context: RequestContext<ItemTarget>, current: FoundItem, { plan }) =>
      deleteItem(context, current, plan.features.tables),
  },
  collection,
  subCollection: collection,
  itemLinks: links,
  collectionLinks: links,
  collectionEvents: links,
  aggregate,
  element: { PUT: addElement, DELETE: removeElement },
  action,
  result: action,
  job: action,
  madeFile: action,
  query: { ...links, QUERY: readLoaded },
  itemsQuery: { ...links, QUERY: readLoaded },
  fileQuery: { GET: readFileResult, HEAD: readFileResult, QUERY: readFileResult },
  ownAction: { POST: performOwnAction },
  file: {},
  fileList: {},
  storedFile: {},
  document,
  postedDocument: { ...document, POST: postForm },
  batch: {
    ...document,
    POST: (context, _current, { body, nested }) => performBatch(context, body, nested.handleEntry),
  },
  selection: { ...document, POST: postToDocument },
}

/** A context and a state are of the kind that the functions are looked up by. */
type AnyLoader = {
  load(context: RequestContext, query: ResolvedQuery, parts: LoadingParts): Promise<CurrentState>
}['load']

const anyLoader: Readonly<Partial<Record<OperationKind, AnyLoader>>> = loaders
const anyPerformers: Readonly<
  Partial<Record<OperationKind, Readonly<Partial<Record<Method, Performer<AnyLoader>>>>>>
> = performers

/** The current state of the target, with one store query that also evaluates the caller's rights on it. */
export function loadCurrentState(plan: Plan): Promise<CurrentState> {
  const { context, query } = plan
  const load = anyLoader[kindOf(context.target)]
  if (!load) throw notPerformable(context)
  return load(context, query, plan)
}

/** Reads the content only now: RFC 9110 §13.2.1 evaluates preconditions first. Nothing is stored yet. */
export async function performMethod(
  plan: Plan,
  current: CurrentState,
  nested: NestedRequests,
): Promise<Performed> {
  const { context, query, request, content } = plan
  if (context.format === eventStream) return streamEvents(context, current, query, request)
  const perform = anyPerformers[kindOf(context.target)]?.[context.method]
  if (!perform) throw notPerformable(context)
  const reads = operationOf(context).content !== 'own'
  const sent = { body: reads ? await content?.read() : undefined, content }
  if (!context.version) return perform(context, current, { ...sent, plan, nested })
  const converted = toPresentContent(context, current, sent)
  return withOldNames(context, async () => perform(context, current, { ...converted, plan, nested }))
}

/** A fault of the service: the decisions before it let the request pass. */
function notPerformable({ method, target }: RequestContext): Error {
  return new Error(`${method} cannot be performed on a target of kind ${target.kind}`)
}

/** A built-in table may have its code in a feature that the service lacks. */
function withoutFeature(): Refusal {
  return refuse('not-found', { detail: 'This service lacks the feature for it.' })
}

async function readList(
  context: RequestContext<CollectionTarget>,
  current: ListState,
  { plan }: Sent,
): Promise<ViewResponse> {
  const { list, isCounted } = plan.query
  if (!list || current.kind === 'not-loaded') throw new Error('A read of a collection has a list')
  if (current.kind === 'streamed') return streamCollection(context, current, { list, isCounted })
  return readCollection(context, current, { isCounted })
}

async function readGroups(
  context: RequestContext<CollectionTarget>,
  current: LoadedAggregates,
  { plan }: Sent,
): Promise<ViewResponse> {
  return readAggregates(context, current, { isCounted: plan.query.isCounted })
}

async function postToDocument(
  context: RequestContext<DocumentTarget>,
  _current: LoadedDocument | StreamedState,
  { body, plan, nested }: Sent,
): Promise<ViewResponse> {
  const { name = '', perform } = context.target.document
  if (!perform) throw notPerformable(context)
  const data = await perform({
    ...context,
    service: plan.service,
    content: body,
    perform: nested.performAlone,
  })
  return { status: 200, view: { kind: 'document', name, page: name, data }, links: [], fields: {} }
}

/** POST of the form of a document, checked like the input of an action: 202 or 204, and 303 where a form was sent. */
async function postForm(
  context: RequestContext<DocumentTarget>,
  _current: LoadedDocument | StreamedState,
  { body, plan: { service, request } }: Sent,
): Promise<ViewResponse> {
  const { caller, target } = context
  const { form } = target.document
  if (!form) throw notPerformable(context)
  const resource = form.input(service.model)
  const writer = { resource, rights: rightsOf(resource, system), isTrue: isAlwaysTrue }
  const { faults } = draftCreation(writer, body)
  if (faults.length > 0) throw invalidContent(faults)
  const submitted = await form.submit({ service, request, target, caller, members: membersOf(body) })
  const fields = { 'Cache-Control': 'no-store', ...submitted.fields }
  const { status } = form
  const type = parseMediaType(request.fields['content-type'] ?? '')?.essence
  const isForm = status === 303 || type === 'application/x-www-form-urlencoded'
  if (isForm && submitted.next !== undefined) throw seeOther(submitted.next, fields)
  return { status, view: undefined, links: [], fields }
}

/** 200 with what was loaded as a document: links, changes, or the result of a query. */
async function readLoaded(context: RequestContext, current: CurrentState): Promise<ViewResponse> {
  if (current.kind !== 'document') throw new Error('An item that is absent is refused before')
  return readDocument(context, current)
}

/** 200 or 206 with the file that a query returned. */
async function readFileResult(
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  { plan }: Sent,
): Promise<ViewResponse> {
  if (current.kind !== 'made-file') throw new Error('An item that is absent is refused before')
  return readMadeFile(context, current, plan.request)
}

/** The result of a query. The right to it and the reads of its code are of one moment. */
function loadQueryResult(
  context: RequestContext<ActionTarget>,
  query: ResolvedQuery,
  { features }: LoadingParts,
): Promise<LoadedDocument | MadeFile | FoundItem | AbsentItem> {
  const { unit } = context
  return unit.store.withSnapshot(queryTime, async (store) => {
    const within = { ...context, unit: withStore(unit, store) }
    const current = await loadActionState(within, query)
    if (current.kind === 'absent' || (current.kind === 'found' && !current.isPermitted)) return current
    if (!features.query) throw notPerformable(context)
    const view = await features.query(within, current, query.input)
    return view.kind === 'file' ? { kind: 'made-file', view } : { kind: 'document', view, links: [] }
  })
}

/** Replaces the item, or creates it. An edit by a form changes the fields that the person changed. */
async function putItem(
  context: RequestContext<ItemTarget>,
  current: FoundItem | AbsentItem,
  { body, content, plan }: Sent,
): Promise<PlannedChange> {
  const { resource } = context.target
  const { tables } = plan.features
  if (current.kind === 'found') {
    const form = plan.content?.patch === 'fields' ? await plan.content.octets() : undefined
    const changed = form && findChangedNames(form, resource)
    if (!changed) return replaceItem(context, current, { body, tables })
    const members = membersOf(body)
    const changes = Object.fromEntries(changed.map((name) => [name, members[name]]))
    return patchItem(context, current, { body: changes, content, tables })
  }
  behaviourOf(tables, context.service.model, resource).requireCreatableAtUri?.(context)
  return createAtUri(context, current, body)
}

async function performAction(
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  { body, plan }: Sent,
): Promise<PlannedChange> {
  if (!plan.features.action) throw notPerformable(context)
  return plan.features.action(context, current, body)
}

/** Performs the action of a built-in table. It reads the content itself, where it needs some. */
async function performOwnAction(
  context: RequestContext<ItemTarget>,
  current: FoundItem,
  { plan }: Sent,
): Promise<PlannedChange> {
  const { resource, ownAction = '' } = context.target
  const perform = behaviourOf(plan.features.tables, context.service.model, resource).actions?.[ownAction]
  if (!perform) throw withoutFeature()
  return perform(context, current, async () => plan.content?.read())
}

/** Creates what the resource is made of: by its own code, or one item or several. */
async function createInCollection(
  context: RequestContext<CollectionTarget>,
  current: ListState,
  { body, plan }: Sent,
): Promise<PlannedChange> {
  const { create } = behaviourOf(plan.features.tables, context.service.model, context.target.resource)
  const created = await create?.(context, body, current)
  if (created) return created
  if (!context.target.resource.declared) throw withoutFeature()
  if (isBulk(context, body)) return createMany(context, current, body)
  if (hasItems(context, body)) return createWithItems(context, current, body)
  return createItem(context, current, body)
}

/** A method on a file, which the feature for files performs. */
export async function performFileMethod(
  { file }: FeatureCode,
  context: RequestContext<FileTarget | StoredFileTarget>,
  current: FoundItem,
  sent: SentFileContent,
): Promise<HttpResponse> {
  if (!file) throw new Error('The service has no files')
  return file(context, current, sent)
}

interface UploadTarget {
  readonly service: ServiceContext
  readonly caller: Principal
  readonly target: DocumentTarget
  readonly request: HttpRequest
}

/** HEAD, PATCH and DELETE of an upload; `complete` performs the request that it was begun with. */
export async function performUpload(
  { service, caller, target, request }: UploadTarget,
  complete: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { files, store } = service
  if (!files) throw new Error('The service has no files')
  const id = target.parameter ?? ''
  const response = await files.performUpload({ id, store, caller, request, complete })
  return { ...response, fields: { ...response.fields, Vary: varyOf(target) } }
}
