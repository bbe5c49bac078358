/**
 * HAL and HAL-FORMS: the JSON representation with `_links` and `_embedded`, and in HAL-FORMS with
 * `_templates` for the actions of the caller.
 */

import type { JsonValue } from '../definition/model.ts'
import type { Link } from '../http/link.ts'
import { refuse } from '../refusal.ts'
import { isObject } from '../tools/plain-object.ts'
import { restLinks } from '../views/composition.ts'
import type { Hypermedia } from '../views/hypermedia-controls.ts'
import { createCurie, extensionRelation, relationName } from '../views/link-relation.ts'
import type { CollectionView, DocumentView, Embedded, ItemView, View } from '../views/view.ts'
import { aggregateObjects } from './aggregate-objects.ts'
import type { WritingFormat } from './format.ts'
import { createTemplates } from './hal-template.ts'
import { writeMembers } from './json.ts'
import { parseJson } from './json-reader.ts'

export const hal: WritingFormat = {
  name: 'hal',
  mediaType: 'application/hal+json',
  viewKinds: new Set(['item', 'collection', 'aggregate', 'document']),
  hypermedia: 'links',
  write: writeHal,
  writeCollectionItem: writeResource,
}

export const halForms: WritingFormat = {
  name: 'hal-forms',
  mediaType: 'application/prs.hal-forms+json',
  viewKinds: new Set(['item', 'collection', 'aggregate', 'document']),
  hypermedia: 'actions',
  write: writeHal,
  writeCollectionItem: writeResource,
}

/** Parses a document that a client sends back: the members of its item, without those of HAL. Refuses malformed content. */
export function readHal(octets: Uint8Array): unknown {
  const value = parseJson(octets)
  if (!isObject(value)) throw refuse('malformed-content', { detail: 'A HAL document is a JSON object.' })
  return Object.fromEntries(Object.entries(value).filter(([name]) => !ownMembers.has(name)))
}

const ownMembers: ReadonlySet<string> = new Set(['_links', '_embedded'])

function writeHal(view: View): string {
  switch (view.kind) {
    case 'item':
      return writeResource(view)
    case 'collection':
      return writeCollection(view)
    case 'aggregate':
      return writeArray(aggregateObjects(view), view.hypermedia)
    case 'document':
      return writeDocument(view)
    case 'problem':
      throw new Error('HAL does not show problems')
  }
}

/** The members of HAL, followed by those of the JSON representation. */
function writeResource(item: ItemView): string {
  const { embedded } = item
  const hypermedia = withRestLinks(item)
  const text = `{${writeControls(hypermedia, createCuries(hypermedia, [item]))}${writeMembers(item).slice(1)}`
  if (!embedded || embedded.size === 0) return text
  const members = [...embedded].map(
    ([name, other]) => `${JSON.stringify(extensionRelation(name))}:${writeEmbedded(other)}`,
  )
  return `${text.slice(0, -1)},"_embedded":{${members.join()}}}`
}

/** Adds links to the lists that are embedded in part, unless the item has them already. */
function withRestLinks({ hypermedia, embedded }: ItemView): Hypermedia | undefined {
  const links = hypermedia?.links ?? []
  const rest = [...restLinks(embedded)].map(([name, target]) => ({ rel: extensionRelation(name), target }))
  const added = rest.filter(({ rel }) => !links.some((link) => link.rel === rel))
  return added.length === 0 ? hypermedia : { actions: [], ...hypermedia, links: [...links, ...added] }
}

function writeEmbedded(embedded: Embedded): string {
  return embedded.kind === 'list' ? `[${embedded.items.map(writeResource).join()}]` : writeResource(embedded)
}

function writeCollection({ items, hypermedia }: CollectionView): string {
  const links = writeControls(hypermedia, createCuries(hypermedia, items))
  return `{${links}"_embedded":{"item":[${items.map(writeResource).join()}]}}`
}

/** Leaves out `links`, which `_links` repeats. */
function writeDocument({ data, hypermedia }: DocumentView): string {
  if (Array.isArray(data)) return writeArray(data, hypermedia)
  const links = writeControls(hypermedia, createCuries(hypermedia, []))
  const members = Object.entries(data as Readonly<Record<string, JsonValue>>)
  const kept = members.filter(([name]) => name !== 'links')
  const text = JSON.stringify(Object.fromEntries(kept))
  return text === '{}' ? `{${links.slice(0, -1)}}` : `{${links}${text.slice(1)}`
}

function writeArray(data: readonly JsonValue[], hypermedia: Hypermedia | undefined): string {
  const links = writeControls(hypermedia, createCuries(hypermedia, []))
  return `{${links}"_embedded":{"item":${JSON.stringify(data)}}}`
}

/** `_links` and `_templates`, with a trailing comma; empty for embedded items without hypermedia. */
function writeControls(hypermedia: Hypermedia | undefined, curies: Members): string {
  if (!hypermedia) return ''
  const links = `"_links":${JSON.stringify({ ...groupLinks(hypermedia.links), ...curies })},`
  if (hypermedia.actions.length === 0) return links
  return `${links}"_templates":${JSON.stringify(createTemplates(hypermedia.actions))},`
}

type Members = Readonly<Record<string, JsonValue>>

/** The CURIEs of the root, if a relation in the document is in short form. */
function createCuries(hypermedia: Hypermedia | undefined, items: readonly ItemView[]): Members {
  const relations = hypermedia?.relations
  if (relations === undefined) return {}
  const shortens =
    hasExtensionRelation(hypermedia) ||
    items.some((item) => hasExtensionRelation(item.hypermedia) || (item.embedded?.size ?? 0) > 0)
  return shortens ? { curies: [createCurie(relations)] } : {}
}

function hasExtensionRelation(hypermedia: Hypermedia | undefined): boolean {
  return hypermedia?.links.some(({ rel }) => relationName(rel) !== undefined) ?? false
}

/** One link object for a relation with one link, an array for several and for sets of references. */
function groupLinks(links: readonly Link[]): Members {
  const byRelation = Map.groupBy(links, ({ rel }) => rel)
  return Object.fromEntries(
    [...byRelation].map(([rel, several]) => {
      const objects = several.map(createLinkObject)
      const isSet = several.some((link) => link.several !== undefined)
      return [rel, objects.length === 1 && objects[0] && !isSet ? objects[0] : objects]
    }),
  )
}

function createLinkObject({ target, rel: _, title, type, templated }: Link): JsonValue {
  return {
    href: target,
    ...(templated === undefined ? {} : { templated: true }),
    ...(type === undefined ? {} : { type }),
    ...(title === undefined ? {} : { title, name: title }),
  }
}
