/**
 * Validators (RFC 9110 §8.8). A tag of an item begins with its version and identity, which every
 * representation of that version shares; what follows tells representations apart.
 */

import { createHash } from 'node:crypto'
import { type FieldModel, IDENTITY, type ResourceModel, UPDATED_AT } from '../declare/model.ts'
import { systemFields } from '../declare/system-field.ts'
import type { Row } from '../store/store.ts'
import { versionOf } from './record.ts'
import type { CollectionView, ItemView } from './view.ts'

/** The opaque part of an item's strong entity tag, in the format of that name. */
export function itemTag(view: ItemView, format: string): string {
  return `${versionTag(view.row)}.${format}${variant(view)}`
}

/** Whether the opaque tag is one of the row's present version, of whichever representation. */
export function isTagOfVersion(row: Row, opaque: string): boolean {
  return opaque.startsWith(`${versionTag(row)}.`)
}

/** Times have milliseconds, HTTP dates seconds. */
export function lastModified(row: Row): number {
  return Math.floor(Date.parse(row[UPDATED_AT] as string) / 1000) * 1000
}

/** The tag of a page whose records are looked at one by one. */
export function pageTag(view: CollectionView, format: string): string {
  return `p${digest(view.items.map((item) => itemTag(item, format)))}.${format}`
}

/** The tag of a page that everyone sees alike: from the revisions of what it is made of. */
export function revisionTag(revisions: readonly number[], page: string, format: string): string {
  return `r${revisions.map((revision) => revision.toString(36)).join('-')}.${digest([page])}.${format}`
}

/** The tag of a document that is small enough to be written before its tag is made. */
export function contentTag(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16)
}

function versionTag(row: Row): string {
  const identity = row[IDENTITY] as string
  return `${versionOf(row).toString(36)}.${identity.slice(-12)}${identity.slice(-17, -13)}`
}

/**
 * What may differ between two representations of one version in one format: fields that not
 * everyone sees, where present, and the keys of items referred to, which change on their own.
 */
function variant(view: ItemView): string {
  const { row, shape } = view
  const restricted = shape.fields.filter((field) => field.visibleTo && row[field.at] !== null)
  const keys = shape.fields.filter(isKeyed).map((field) => String(row[field.shownAt]))
  const further = [...omissions(view), ...embeddings(view)]
  if (restricted.length === 0 && keys.length === 0 && further.length === 0) return ''
  return `.${digest([...restricted.map((field) => field.name), '', ...keys, ...further])}`
}

/** What everyone who reads the record sees, and this representation leaves out. */
function omissions({ row, shape }: ItemView): readonly string[] {
  const shown = new Set([...shape.fields, ...shape.times])
  const all = [...systemFields.values(), ...shape.resource.fields]
  const usual = all.filter((field) => !field.visibleTo && !field.writeOnly)
  return usual
    .filter((field) => !shown.has(field) && row[field.at] !== null)
    .map((field) => `-${field.name}`)
}

/** An embedded item changes on its own: its tag goes along. */
function embeddings({ embedded }: ItemView): readonly string[] {
  return [...(embedded ?? [])].map(([name, item]) => `+${name} ${itemTag(item, '')}`)
}

/** The resources whose changes may change what a record of this one shows. */
export function shownThrough(resource: ResourceModel): readonly ResourceModel[] {
  return resource.fields.filter(isKeyed).flatMap((field) => field.ref?.resource ?? [])
}

function isKeyed(field: FieldModel): boolean {
  return field.shownAt !== field.at
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12)
}
