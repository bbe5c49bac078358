/**
 * Validators (RFC 9110 §8.8). Up to its first dot a tag says which version of what it is of, and
 * every representation of that version has the same there; what follows tells them apart.
 */

import { hash } from 'node:crypto'
import { type FieldModel, IDENTITY, type ResourceModel, UPDATED_AT } from '../definition/model.ts'
import { systemFields } from '../definition/system-fields.ts'
import { formatLinks } from '../http/link.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject, memoizeLast } from '../tools/memoize.ts'
import type { Hypermedia } from './hypermedia.ts'
import { chromeTagParts } from './page-chrome.ts'
import { versionOf } from './row-checks.ts'
import type { Shape } from './shape.ts'
import type { CollectionView, DocumentView, ItemView } from './view.ts'

/** The opaque part of an item's strong entity tag, in the format of that name. */
export function itemTag(view: ItemView, format: string): string {
  return `${versionTag(view.row)}.${format}.${definitionTag(view.shape.resource)}${variantSuffix(view)}`
}

/** Whether two opaque tags are of the same version of the same, in whichever representation. */
export function isSameVersion(one: string, other: string): boolean {
  return one.split('.', 1)[0] === other.split('.', 1)[0]
}

/** Times have milliseconds, HTTP dates seconds. */
export function lastModified(row: Row): number {
  return Math.floor(Date.parse(row[UPDATED_AT] as string) / 1000) * 1000
}

/** The tag of a page whose records are looked at one by one, and of the links it is sent with. */
export function collectionTag(view: CollectionView, links: string, format: string): string {
  const versions = digest(view.items.map(({ row }) => versionTag(row)))
  const variants = digest([
    definitionTag(view.resource),
    links,
    ...hypermediaParts(view.hypermedia),
    ...chromeTagParts(view.chrome),
    // One digest for all of them: one for each would cost more than the page.
    ...view.items.map((item) => variantParts(item).join('\n')),
  ])
  return `p${versions}.${format}.${variants}`
}

export interface RevisedList {
  readonly revisions: readonly number[]
  /** What else decides which records are shown, and what of them. */
  readonly list: string
  readonly format: string
}

/** The tag of a page that everyone sees alike: from the revisions of what it is made of. */
export function collectionRevisionTag(
  resource: ResourceModel,
  { revisions, list: page, format }: RevisedList,
): string {
  const numbers = revisions.map((revision) => revision.toString(36)).join('-')
  return `r${numbers}-${listDigest(page)}.${format}.${definitionTag(resource)}`
}

const listDigest = memoizeLast((page) => digest([page]))

/** The tag of a document that is written before its tag is made; of kept octets it is made once. */
export function contentTag(content: string | Uint8Array): string {
  return typeof content === 'string' ? hashContent(content) : hashOctets(content)
}

function hashContent(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 16)
}

const hashOctets = memoizeByObject((octets: Uint8Array) => hashContent(octets))

/** Another whenever what the view shows is another, whichever kind of view it is. */
export function viewTag(view: ItemView | CollectionView | DocumentView, format: string): string {
  switch (view.kind) {
    case 'item':
      return itemTag(view, format)
    case 'collection':
      return collectionTag(view, '', format)
    case 'document':
      return digest([
        JSON.stringify(view.data),
        ...hypermediaParts(view.hypermedia),
        ...chromeTagParts(view.chrome),
      ])
  }
}

function versionTag(row: Row): string {
  const identity = row[IDENTITY] as string
  return `${versionOf(row).toString(36)}-${identity.slice(-12)}${identity.slice(-17, -13)}`
}

function variantSuffix(view: ItemView): string {
  const parts = variantParts(view)
  return parts.length === 0 ? '' : `.${digest(parts)}`
}

/**
 * What may differ between two representations of one version in one format: fields that not
 * everyone sees, where present, and the keys of items referred to, which change on their own.
 */
function variantParts(view: ItemView): readonly string[] {
  const { row, embedded, hypermedia, chrome } = view
  const { restricted, keyed, leftOut } = variantFieldsOf(view.shape)
  const alike = restricted.length === 0 && keyed.length === 0 && leftOut.length === 0
  if (alike && !embedded && !hypermedia && !chrome) return []
  const present = restricted.filter((field) => row[field.index] !== null)
  const keys = keyed.map((field) => String(row[field.shownIndex]))
  const omitted = leftOut.filter((field) => row[field.index] !== null)
  const further = [
    ...omitted.map((field) => `-${field.name}`),
    ...embeddedParts(view),
    ...hypermediaParts(hypermedia),
    ...chromeTagParts(chrome),
  ]
  if (present.length === 0 && keys.length === 0 && further.length === 0) return []
  return [...present.map((field) => field.name), '', ...keys, ...further]
}

/** Of a shape: what not everyone sees, what changes on its own, and what others would show. */
const variantFieldsOf = memoizeByObject(({ resource, fields, times }: Shape) => {
  const shown = new Set([...fields, ...times])
  const all = [...systemFields.values(), ...resource.fields]
  return {
    restricted: fields.filter((field) => field.visibleTo),
    keyed: fields.filter(isKeyed),
    leftOut: all.filter((field) => !field.visibleTo && !field.writeOnly && !shown.has(field)),
  }
})

/** An embedded item changes on its own: its tag goes along. */
function embeddedParts({ embedded }: ItemView): readonly string[] {
  return [...(embedded ?? [])].map(([name, item]) => `+${name} ${itemTag(item, '')}`)
}

/** What is offered changes with the caller and with other records, the version being the same. */
function hypermediaParts(hypermedia: Hypermedia | undefined): readonly string[] {
  if (!hypermedia) return []
  const { relations = '' } = hypermedia
  const links = `${relations} ${formatLinks(hypermedia.links)}`
  if (hypermedia.actions.length === 0) return [links]
  const actions = hypermedia.actions.map(({ inputs, ...action }) => [
    action,
    inputs.map(({ field, ...input }) => [field.name, input]),
  ])
  return [links, JSON.stringify(actions)]
}

/** A definition that is changed between two starts shows the same version in other octets. */
const definitionTag = memoizeByObject((resource: ResourceModel): string => {
  const fields = resource.fields.map((field) =>
    [field.name, field.kind, field.scale, isKeyed(field), field.writeOnly].join(),
  )
  const restricted = resource.fields.map((field) => String(field.visibleTo !== undefined))
  return digest([resource.key?.name ?? '', ...fields, ...restricted]).slice(0, 6)
})

/** The resources whose changes may change what a record of this one shows. */
export function referencedKeyResources(resource: ResourceModel): readonly ResourceModel[] {
  return resource.fields.filter(isKeyed).flatMap((field) => field.ref?.resource ?? [])
}

function isKeyed(field: FieldModel): boolean {
  return field.shownIndex !== field.index
}

/** With their lengths, so that no two sequences of parts are one text. */
function digest(parts: readonly string[]): string {
  let text = ''
  for (const part of parts) text += `${part.length}:${part}`
  return hash('sha256', text, 'base64url').slice(0, 12)
}
