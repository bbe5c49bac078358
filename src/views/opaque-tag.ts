/**
 * The opaque parts of entity tags (RFC 9110 §8.8.3). The part before the first dot identifies the
 * version and is the same in all its representations; the rest tells representations apart.
 */

import { hash } from 'node:crypto'
import { type FieldModel, IDENTITY, outputFields, type ResourceModel } from '../definition/model.ts'
import { createdAt, lastChange } from '../definition/system-fields.ts'
import { formatLinks } from '../http/link.ts'
import { versionOf } from '../store/row.ts'
import { memoizeByObject, memoizeLast } from '../tools/memoize.ts'
import type { Hypermedia, Input } from './hypermedia-controls.ts'
import type { AggregateView, CollectionView, ItemView } from './view.ts'
import type { VisibleFields } from './visible-fields.ts'

/** The inputs of an opaque tag besides the view. */
export interface TagContext {
  /** The name of the format. */
  readonly format: string
  /** The key of the digests of what only some readers see. */
  readonly key: string
}

/** The opaque tag of an item in a format. */
export function itemTag(view: ItemView, context: TagContext): string {
  const definition = definitionTag(view.visibleFields.resource)
  return `${versionTag(view, context)}.${context.format}.${definition}${variantSuffix(view, context)}`
}

/** Whether two opaque tags belong to the same version of the same resource, in any representation. */
export function isSameVersion(one: string, other: string): boolean {
  return one.split('.', 1)[0] === other.split('.', 1)[0]
}

/** Whether two opaque tags of items belong to the same item, in any version. */
export function isSameItem(one: string, other: string): boolean {
  return identityIn(one) === identityIn(other)
}

function identityIn(opaque: string): string | undefined {
  return opaque.split('.', 1)[0]?.split('-')[1]
}

/** The Last-Modified date of an item, in milliseconds truncated to seconds. */
export function lastModified(view: ItemView): number {
  return Math.floor(Date.parse(lastChangeTime(view)) / 1000) * 1000
}

/** The time of the last change that the view shows. */
export function lastChangeTime({ row, visibleFields }: ItemView): string {
  return row[visibleFields.change.updatedAt.index] as string
}

/** The opaque tag of a collection page, from its items and the Link field sent with it. */
export function collectionTag(view: CollectionView, links: string, context: TagContext): string {
  const variants = digest([
    definitionTag(view.resource),
    links,
    ...hypermediaParts(view.hypermedia),
    // One digest for all items; one for each would cost more than writing the page.
    ...view.items.map((item) => variantParts(item, context).join('\n')),
  ])
  const versions = digest(view.items.map((item) => versionTag(item, context)))
  return `p${versions}.${context.format}.${variants}`
}

export interface RevisedList {
  readonly revisions: readonly number[]
  /** Identifies the query: which items are listed, and which fields. */
  readonly list: string
  readonly format: string
}

/** The opaque tag of a collection page that is the same for all callers, from table revisions. */
export function collectionRevisionTag(
  resource: ResourceModel,
  { revisions, list: page, format }: RevisedList,
): string {
  const numbers = revisions.map((revision) => revision.toString(36)).join('-')
  return `r${numbers}-${listDigest(page)}.${format}.${definitionTag(resource)}`
}

const listDigest = memoizeLast((page) => digest([page]))

/** The opaque tag of a document, from its written content. Memoized for octets. */
export function contentTag(content: string | Uint8Array): string {
  return typeof content === 'string' ? hashContent(content) : hashOctets(content)
}

function hashContent(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 16)
}

const hashOctets = memoizeByObject((octets: Uint8Array) => hashContent(octets))

/** The opaque tag of an aggregation, from its values: any item may change a group. */
export function aggregateTag({ members, rows, hypermedia }: AggregateView, { format }: TagContext): string {
  const values = JSON.stringify([members.map(({ name }) => name), rows])
  return `${digest([values, ...hypermediaParts(hypermedia)])}.${format}`
}

/** The version and the identity. A version that only some changes count is part of a digest: its number tells of the others. */
function versionTag(item: ItemView, { key }: TagContext): string {
  const { row, visibleFields } = item
  const identity = row[IDENTITY] as string
  const version =
    visibleFields.change === lastChange ? versionOf(row).toString(36) : publicVersionTag(item, key)
  return `${version}-${identity.slice(-12)}${identity.slice(-17, -13)}`
}

/** A keyed digest of the last public change and the restricted values that the caller sees. It has more digits than a number. */
function publicVersionTag(item: ItemView, key: string): string {
  const { row, visibleFields } = item
  const values = seenFieldsWithValue(item).map(({ name, index }) => [name, row[index]])
  const text = JSON.stringify([key, row[IDENTITY], row[visibleFields.change.version], ...values])
  return hash('sha256', text, 'hex').slice(0, 16)
}

/** The restricted fields that the caller sees a value of. Whether it may see an absent one does not show. */
export function seenFieldsWithValue({ row, visibleFields: { seen } }: ItemView): readonly FieldModel[] {
  return seen.filter(({ index }) => row[index] !== null)
}

function variantSuffix(view: ItemView, context: TagContext): string {
  const parts = variantParts(view, context)
  return parts.length === 0 ? '' : `.${digest(parts)}`
}

/**
 * The differences between representations of one version in one format: restricted fields that
 * are present, keys of referenced items, omitted fields, derived values, embedded items and hypermedia.
 */
function variantParts(view: ItemView, context: TagContext): readonly string[] {
  const { row, embedded, hypermedia } = view
  const { restricted, keyed, leftOut } = variantFieldsOf(view.visibleFields)
  const { derived } = view.visibleFields
  const alike = [restricted, keyed, leftOut, derived].every(({ length }) => length === 0)
  if (alike && !embedded && !hypermedia) return []
  const present = restricted.filter((field) => row[field.index] !== null)
  const keys = keyed.map((field) => String(row[field.outputIndex]))
  const omitted = leftOut.filter((field) => row[field.index] !== null)
  const further = [
    ...omitted.map((field) => `-${field.name}`),
    ...derivedParts(view),
    ...embeddedParts(view, context),
    ...hypermediaParts(hypermedia),
  ]
  if (present.length === 0 && keys.length === 0 && further.length === 0) return []
  return [...present.map((field) => field.name), '', ...keys, ...further]
}

/** The fields of a shape that some callers don't see, keyed references, and public fields left out. */
const variantFieldsOf = memoizeByObject(({ resource, fields, times, change }: VisibleFields) => {
  const shown = new Set([...fields, ...times])
  const all = [createdAt, change.updatedAt, ...resource.fields]
  return {
    restricted: fields.filter((field) => field.visibleTo),
    keyed: fields.filter(isReferenceByKey),
    leftOut: all.filter((field) => !field.visibleTo && !field.writeOnly && !shown.has(field)),
  }
})

/** Derived values change without the version. */
function derivedParts({ row, visibleFields }: ItemView): readonly string[] {
  const present = visibleFields.derived.filter(({ field }) => row[field.index] !== null)
  return present.map(({ field }) => `=${field.name} ${row[field.index]}`)
}

/** Embedded items change independently, so their tags are included. */
function embeddedParts({ embedded }: ItemView, context: TagContext): readonly string[] {
  const unformatted = { ...context, format: '' }
  return [...(embedded ?? [])].flatMap(([name, one]) => {
    if (one.kind === 'item') return [`+${name} ${itemTag(one, unformatted)}`]
    return [`+${name}[] ${one.rest ?? ''}`, ...one.items.map((item) => itemTag(item, unformatted))]
  })
}

/** Links and actions depend on the caller and on other items, not only on the version. */
function hypermediaParts(hypermedia: Hypermedia | undefined): readonly string[] {
  if (!hypermedia) return []
  const { relations = '' } = hypermedia
  const links = `${relations} ${formatLinks(hypermedia.links)}`
  if (hypermedia.actions.length === 0) return [links]
  const actions = hypermedia.actions.map(({ inputs, nested, ...action }) => [
    {
      ...action,
      nested: nested?.map(({ name, inputs: own }) => ({
        name,
        inputs: own.length === 0 ? undefined : own.map(inputPart),
      })),
    },
    inputs.map(inputPart),
  ])
  return [links, JSON.stringify(actions)]
}

function inputPart({ field, ...input }: Input) {
  return [field.name, input]
}

/** Changes when the definition changes the representation of unchanged rows. */
const definitionTag = memoizeByObject((resource: ResourceModel): string => {
  const fields = outputFields(resource).map((field) =>
    [field.name, field.kind.name, field.scale, isReferenceByKey(field), field.writeOnly].join(),
  )
  const restricted = resource.fields.map((field) => String(field.visibleTo !== undefined))
  return digest([resource.keyField?.name ?? '', ...fields, ...restricted, ...textsOf(resource)]).slice(0, 6)
})

/** The declared texts and settings for people. Definitions without them have the tags that they always had. */
function textsOf(resource: ResourceModel): readonly string[] {
  const texts = outputFields(resource).flatMap(({ name, label, help, tones, schema }) => {
    const declared = [label, help, schema.contentMediaType, ...tones]
    return declared.every((one) => one === undefined) ? [] : [JSON.stringify([name, ...declared])]
  })
  const { defaultSort, ...presentation } = resource.presentation
  const isDeclared = defaultSort.length > 0 || Object.values(presentation).some((one) => one !== undefined)
  return isDeclared ? [...texts, JSON.stringify(resource.presentation)] : texts
}

/** The resources whose keys are shown by references of this resource. */
export function referencedKeyResources(resource: ResourceModel): readonly ResourceModel[] {
  return resource.fields
    .filter(isReferenceByKey)
    .flatMap((field) => (field.ref ?? field.refs)?.resource ?? [])
}

/** Whether the field refers to items by their key, which can change. */
export function isReferenceByKey(field: FieldModel): boolean {
  return field.outputIndex !== field.index
}

/** Includes the lengths, so that different parts never give the same text. */
function digest(parts: readonly string[]): string {
  let text = ''
  for (const part of parts) text += `${part.length}:${part}`
  return hash('sha256', text, 'base64url').slice(0, 12)
}
