/** Views: what a response shows, before any format. Each format writes the kinds that it supports. */

import type { FieldKind } from '../definition/field-kind.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import type { ContentFault } from '../refusal.ts'
import type { Row } from '../store/row.ts'
import type { Hypermedia } from './hypermedia-controls.ts'
import type { VisibleFields } from './visible-fields.ts'

export type View = ItemView | CollectionView | AggregateView | DocumentView | ProblemView

export interface ItemView {
  readonly kind: 'item'
  readonly row: Row
  readonly visibleFields: VisibleFields
  /** Its members as JSON, where they have the shape of an older version of the interface. */
  readonly text?: string
  /** Of a version: the id that the item has now, below which its files are. */
  readonly formerOf?: string
  /** By the name of the relation. */
  readonly embedded?: ReadonlyMap<string, Embedded>
  /** Set if the format shows it. */
  readonly hypermedia?: Hypermedia
}

/** The item that a reference names, the first items of an inverse, or the members of a set of references. */
export type Embedded = ItemView | EmbeddedList

export interface EmbeddedList {
  readonly kind: 'list'
  readonly items: readonly ItemView[]
  /** The URI of all items; undefined when these are all. */
  readonly rest: string | undefined
}

export interface CollectionView {
  readonly kind: 'collection'
  readonly resource: ResourceModel
  readonly items: readonly ItemView[]
  /** Of a sub-collection: the reference of its items to their parent. Set if the format shows links. */
  readonly parentField?: FieldModel
  readonly hypermedia?: Hypermedia
}

/** A collection summarised in groups. */
export interface AggregateView {
  readonly kind: 'aggregate'
  readonly resource: ResourceModel
  readonly members: readonly AggregateMember[]
  readonly rows: readonly GroupRow[]
  readonly hypermedia?: Hypermedia
}

/** A member of each row: a group, or a value computed from the items of the group. */
export interface AggregateMember {
  /** Such as `createdAt.month` or `hours.sum`. */
  readonly name: string
  readonly role: 'group' | 'aggregate'
  /** The kind of its values; `identity` for ids. */
  readonly kind: FieldKind | 'identity'
  /** The resource that a group refers to. */
  readonly target: ResourceModel | undefined
}

export interface GroupRow {
  /** In the order of the members; undefined where a value is absent. */
  readonly values: readonly (JsonValue | undefined)[]
  /** The identities of referenced items, in the order of the members. */
  readonly identities: readonly (string | undefined)[]
}

/** A complete collection, written batch by batch while it is loaded. */
export interface StreamView {
  readonly kind: 'stream'
  readonly resource: ResourceModel
  /** The fields that any row may show, in declared order. */
  readonly fields: readonly FieldModel[]
  readonly batches: AsyncIterable<readonly ItemView[]>
}

/** Events that are written as they arise. */
export interface EventsView {
  readonly kind: 'events'
  readonly body: AsyncIterable<string>
}

/** A document of the service, such as the home document or a problem type. */
export interface DocumentView {
  readonly kind: 'document'
  /** The name of the root element in formats that have one. */
  readonly name?: string
  /** The name of its HTML page. */
  readonly page?: string
  /** Its entries as a table, for formats that have one and for its page. */
  readonly table?: EntryTable
  readonly data: JsonValue
  /** The entries of the table; undefined: those of the data. */
  readonly entries?: readonly Entry[]
  /** The subject of its page: the login of an account. */
  readonly subject?: string
  /** The resource of its form, or of the items that it is about. */
  readonly resource?: ResourceModel
  /** The present item, where the document belongs to one and its actions change it. */
  readonly item?: ItemView
  /** The items that its page shows in place of the data. */
  readonly items?: CollectionView
  /** The data as an item, for formats that show fields by their kinds. */
  readonly values?: ItemView
  /** Prepared octets that are sent instead of the data. */
  readonly octets?: Uint8Array
  readonly hypermedia?: Hypermedia
}

/** Octets that code of the definition made. */
export interface FileView {
  readonly kind: 'file'
  readonly octets: Uint8Array<ArrayBuffer>
  /** Its media type, with parameters. */
  readonly type: string
  readonly name: string
  /** SHA-256 in base64. */
  readonly digest: string
}

/** An entry of a document, by the names of its columns. */
export type Entry = Readonly<Record<string, JsonValue>>

/** The table of a document, or of the one whose entry it is. Its texts are those of its page, in English. */
export interface EntryTable {
  /** With `{1}` for the subject. */
  readonly title: string
  readonly lead?: string
  /** In place of a table without entries. */
  readonly empty?: string
  /** The link to further entries. */
  readonly next?: string
  readonly columns: readonly EntryColumn[]
}

export interface EntryColumn {
  readonly name: string
  /** Its heading on pages; undefined: pages do not show it. */
  readonly label?: string
  /** How pages show its values; undefined: as they are. */
  readonly shows?: ColumnKind
  /** In place of a value that is absent. */
  readonly absent?: string
  /** Whether it names the entry. It leads to the link `item` in the place of the entry, where each entry has one. */
  readonly names?: true
}

/**
 * `words` are texts of the service, `english` texts without translation, `label` a name of the definition, `links` a URI, or
 * objects with `href` and `title` or `name`, `item` the id of an item in the `collection` of the entry, `changes` the
 * members of an item with their values before and after.
 */
export type ColumnKind =
  | 'plain'
  | 'words'
  | 'english'
  | 'label'
  | 'code'
  | 'time'
  | 'links'
  | 'collection'
  | 'account'
  | 'item'
  | 'changes'

/** A problem (RFC 9457). */
export interface ProblemView {
  readonly kind: 'problem'
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly errors: readonly ContentFault[] | undefined
  readonly members: Readonly<Record<string, unknown>>
}
