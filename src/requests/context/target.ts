/** The target of a request: the server (`*`), a document, a collection, an item, an element of a set, a file, or an action. */

import type { Principal } from '../../access/principal.ts'
import type { InterfaceVersion } from '../../definition/interface-version.ts'
import type {
  ActionModel,
  FieldModel,
  InverseRelation,
  JsonSchema,
  JsonValue,
  ResourceModel,
} from '../../definition/model.ts'
import type { Rule } from '../../definition/rule.ts'
import type { Format } from '../../formats/format.ts'
import type { HttpRequest, HttpResponse, ResponseFields } from '../../http/message.ts'
import { formatQueryString, parseQueryString } from '../../http/query-string.ts'
import { memoizeLast } from '../../tools/memoize.ts'
import type { FormFacts } from '../../views/form-action.ts'
import type { Hypermedia } from '../../views/hypermedia-controls.ts'
import type { Entry, EntryTable, ItemView } from '../../views/view.ts'
import type { SentPosition } from '../events/position-token.ts'
import type { ContentMembers } from '../write/draft-from-content.ts'
import type { ServiceContext } from './service-context.ts'

/** The targets of requests that write to the store. */
export type WriteTarget = CollectionTarget | ItemTarget | ElementTarget | ActionTarget | FileTarget

export type Target =
  | AsteriskTarget
  | DocumentTarget
  | CollectionTarget
  | ItemTarget
  | ElementTarget
  | ActionTarget
  | FileTarget
  | StoredFileTarget

export interface AsteriskTarget extends TargetPath {
  readonly kind: 'asterisk'
}

/** A resource of the service itself, such as `/openapi.json`. */
export interface DocumentTarget extends TargetPath {
  readonly kind: 'document'
  readonly document: Document
  /** The rest of the path, such as the name of a problem type. */
  readonly parameter: string | undefined
  /** Of a document below an item, and of the form that edits it: the item. */
  readonly item?: DocumentedItem
  /** Of the form that creates an item: its collection. */
  readonly collection?: CollectionTarget
}

/** The item in the URI of a document: `/tasks/{id}` in `/tasks/{id}/history`. */
export interface DocumentedItem {
  readonly resource: ResourceModel
  readonly id: string
}

export interface CollectionTarget extends TargetPath {
  readonly kind: 'collection'
  readonly resource: ResourceModel
  /** The item that a sub-collection belongs to; undefined for the whole collection. */
  readonly parent: ParentTarget | undefined
  /** The resource below the list that the target is: its links (RFC 9264), groups or changes. Undefined: the list itself. */
  readonly below?: 'links' | 'aggregate' | 'events'
  /** Whether the query may read other resources too, by embedding or through a reference. */
  readonly readsOtherResources: boolean
}

/** Whether the target is the changes of a list, whose positions differ in each response. */
export function isListFeed(target: Target): boolean {
  return target.kind === 'collection' && target.below === 'events'
}

/** The item in the URI of a sub-collection: `/projects/{id}` in `/projects/{id}/tasks`. */
export interface ParentTarget {
  readonly resource: ResourceModel
  readonly id: string
  /** The inverse that the last segment names. */
  readonly relation: InverseRelation
}

export interface ItemTarget extends TargetPath {
  readonly kind: 'item'
  readonly resource: ResourceModel
  readonly id: string
  /** The item below whose URI it is; undefined: it is directly below its collection. */
  readonly within?: ParentTarget
  /** The action of the built-in table that the last segment names; undefined: the item itself. */
  readonly ownAction?: string | undefined
  /** The resource below the item that the target is: its links (RFC 9264). Undefined: the item itself. */
  readonly below?: 'links'
  readonly readsOtherResources: boolean
}

/** An element of a set of references of an item, such as `/tasks/1/labels/bug`. */
export interface ElementTarget extends TargetPath {
  readonly kind: 'element'
  /** The resource and the id of the item that has the set. */
  readonly resource: ResourceModel
  readonly id: string
  readonly field: FieldModel
  /** The id of the referenced item. */
  readonly element: string
  readonly readsOtherResources: false
}

/** An action or a query that the definition declares: `/tasks/1/assign`, or `/tasks/import`. */
export interface ActionTarget extends TargetPath {
  readonly kind: 'action'
  readonly resource: ResourceModel
  readonly action: ActionModel
  /** The id of the item; undefined for an action on the collection. */
  readonly id: string | undefined
  readonly readsOtherResources: false
}

/** The file in a field of an item, such as `/tasks/1/cover`; a list of files, and each file of it. */
export interface FileTarget extends TargetPath {
  readonly kind: 'file'
  /** The resource and the id of the item. */
  readonly resource: ResourceModel
  readonly id: string
  readonly field: FieldModel
  /** The id of a file of a list; undefined for the list itself, and for a field with one file. */
  readonly fileId: string | undefined
  readonly readsOtherResources: false
}

/** A file that an item has or had, by its content: `/tasks/1/-/files/{key}`. Another file has another URI. */
export interface StoredFileTarget extends TargetPath {
  readonly kind: 'storedFile'
  /** The resource and the id of the item. */
  readonly resource: ResourceModel
  readonly id: string
  readonly key: string
  readonly readsOtherResources: false
}

/** Whether the target is a file, or a list of files. */
export function isFileTarget(target: Target | undefined): target is FileTarget | StoredFileTarget {
  return target?.kind === 'file' || target?.kind === 'storedFile'
}

/** Whether the target is an action or a query whose result is a file. */
export function isMadeFile(target: Target | undefined): boolean {
  return target?.kind === 'action' && target.action.result?.kind === 'file'
}

/** The resource whose fields a form for the target has; undefined for documents, which have forms of their own. */
export function formResource(target: Target): ResourceModel | undefined {
  if (target.kind === 'action') return target.action.input
  return target.kind === 'item' || target.kind === 'collection' ? target.resource : undefined
}

export interface TargetPath {
  /** The normalised path, and the query as it was sent. */
  readonly path: string
  readonly query: string | undefined
  /** The path with its variable part named, for logs and metrics. */
  readonly route: string
}

/** In octets. */
export const maxTargetLength = 8192

/** The path and query of the target without the `format` parameter. */
export function uriWithoutFormat({ path, query }: Target): string {
  const rest = query === undefined ? '' : withoutFormat(query)
  return rest === '' ? path : `${path}?${rest}`
}

const withoutFormat = memoizeLast((query) => {
  const parameters = parseQueryString(query) ?? []
  return formatQueryString(parameters.filter(([name]) => name !== 'format'))
})

/** The route of the document for all paths outside of the base of the service. No path has this key. */
export const outsideBase = '(other paths)'

/** The declaration of a document: its route, its description and its content. */
export interface Document {
  readonly route: string
  /** The name of the root element in formats that have one; also selects the HTML page. */
  readonly name?: string
  /** Its entries as a table, for formats that have one and for its page. */
  readonly table?: EntryTable
  /** The summary in the OpenAPI description. */
  readonly summary?: string
  /** The schema of its JSON; undefined: any. */
  readonly schema?: JsonSchema
  /** The schema of the variable part of its route; undefined: any text. */
  readonly parameter?: JsonSchema
  /** Whether its content differs between callers. */
  readonly personal: boolean
  /** Its Cache-Control; undefined: `no-cache`, stored and revalidated. */
  readonly cache?: 'no-store'
  /** False where its content is read anew each time, so that nothing is gained by comparing it. */
  readonly hasEntityTag?: false
  /** Who may read it; undefined: everyone. */
  readonly audience?: 'admin'
  /** Whether it shows the history of its item. */
  readonly showsHistory?: true
  /** Its formats, best first; undefined: the formats of all documents. */
  readonly formats?: readonly Format[]
  /** Its operations, where it has others than GET, HEAD and OPTIONS. */
  readonly operations?: 'postedDocument' | 'batch' | 'selection' | 'upload' | 'route'
  /** Those of its operations that it offers, beside OPTIONS; undefined: all. */
  readonly methods?: readonly string[]
  /** Who may use it, for descriptions; undefined: `audience` says so. */
  readonly by?: Rule
  /** Whether it is the form that edits its item. */
  readonly editsItem?: boolean
  /** Its POST in the OpenAPI description; undefined: it has none, or it is for HTML pages. */
  readonly posted?: PostedContent
  /** Whether it describes the interface, and so the older version that the request names. */
  readonly describesInterface?: true
  /** Whether it is in the language of the reader in each of its formats; pages always are. */
  readonly isTranslated?: true
  /** Whether it shows or takes items, in the older version that the request names. */
  readonly showsItems?: true
  /** The query parameters it has besides `format`. */
  readonly parameters?: readonly string[]
  /** Its own response, before authentication; undefined when the request is handled like any other. */
  respond?(documentRequest: DocumentRequest): Promise<HttpResponse | undefined>
  /** Its POST, where people send it by a form. */
  readonly form?: DocumentForm
  /** Performs its POST, where it is of this document alone; returns the content of the response. */
  perform?(posted: PostedDocument): Promise<JsonValue>
  /** Its content with its links and actions. A document without it responds by itself. */
  load?(query: DocumentQuery): Promise<LoadedContent> | LoadedContent
}

/**
 * A POST to a document, declared like an action: its validation, its control, its page, its refused page and its
 * description follow from the input. Content is JSON or a form.
 */
export interface DocumentForm extends FormFacts {
  /** In descriptions; undefined: it is for HTML pages. */
  readonly summary?: string
  /** The status of a success, without content; that of a form is 303. */
  readonly status: 202 | 204 | 303
  /** Set where it is performed without authentication: what it takes proves who sends it. */
  readonly authenticates?: false
  /** Refuses what the input does not permit either. */
  submit(sent: FormSubmission): Promise<SubmittedForm>
}

export interface FormSubmission extends DocumentRequest {
  readonly caller: Principal
  readonly members: ContentMembers
}

export interface SubmittedForm {
  /** The URI that a form leads to; undefined where a program has sent it. */
  readonly next: string | undefined
  readonly fields?: ResponseFields
}

/** A form that leads to a URI always. */
export interface LeadingForm extends SubmittedForm {
  readonly next: string
}

/** A POST to a document: the schemas of its content and of the response. */
export interface PostedContent {
  readonly summary: string
  readonly content: JsonSchema
  readonly response?: JsonSchema
}

/** A POST to a document, after the decisions about it. */
export interface PostedDocument {
  readonly service: ServiceContext
  readonly caller: Principal
  readonly target: DocumentTarget
  readonly requestId: string
  readonly address: string
  readonly origin: string
  /** As the format of the content reads it. */
  readonly content: unknown
  /** Performs a further request of the caller. */
  readonly perform: RequestPerformer
}

/** Performs one request for the caller: all decisions after authentication. */
export type RequestPerformer = (request: HttpRequest) => Promise<HttpResponse>

/** A request for the content of a document. */
export interface DocumentQuery {
  readonly service: ServiceContext
  readonly caller: Principal
  readonly target: DocumentTarget
  /** For absolute URIs. */
  readonly origin: string
  /** Where a feed of changes begins; undefined: at the oldest entry. */
  readonly from: SentPosition | undefined
  /** The older version of the interface that items are shown in; undefined: the present one. */
  readonly version?: InterfaceVersion | undefined
}

export interface LoadedContent {
  /** JSON, or octets that are sent unchanged. */
  readonly data: JsonValue | Uint8Array
  /** Its links and actions; undefined: none. */
  readonly hypermedia?: Hypermedia
  /** The name of the root element, where it is not that of the document. */
  readonly name?: string
  /** The item that the document belongs to. */
  readonly item?: ItemView
  /** The entries of its table, where its data is no list of them. */
  readonly entries?: readonly Entry[]
  /** The subject of its page. */
  readonly subject?: string
  /** The resource of its form, or of the items that it is about. */
  readonly resource?: ResourceModel
  /** The data as an item. */
  readonly values?: ItemView
}

/** Documents by route, in which `{}` is the variable part. */
export type DocumentTable = ReadonlyMap<string, Document>

/** A request for a document that responds by itself. */
export interface DocumentRequest {
  readonly service: ServiceContext
  readonly request: HttpRequest
  readonly target: DocumentTarget
}
