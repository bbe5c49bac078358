/** The formats of older versions of the interface: JSON and HAL, whose items have the shape of the version. */

import { hash } from 'node:crypto'
import type { InterfaceVersion } from '../definition/interface-version.ts'
import type { ResourceModel } from '../definition/model.ts'
import { downText } from '../definition/version-conversion.ts'
import { oldName } from '../definition/version-names.ts'
import type { Link } from '../http/link.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { itemMembers } from '../views/item-view.ts'
import { extensionRelation, relationName } from '../views/link-relation.ts'
import { uriInVersion } from '../views/uri.ts'
import type { Embedded, EmbeddedList, ItemView, View } from '../views/view.ts'
import type { Format, WritingFormat } from './format.ts'
import { hal } from './hal.ts'
import { json } from './json.ts'

/** The formats of items and collections in the version, best first. The first has its media type. */
export const versionFormats = memoizeByObject(
  (version: InterfaceVersion): readonly [own: Format, json: Format, hal: Format] => [
    {
      ...createVersionFormat(version, json),
      name: version.name,
      mediaType: version.mediaType,
      read: json.read as NonNullable<Format['read']>,
    },
    createVersionFormat(version, json),
    createVersionFormat(version, hal),
  ],
)

/** The same format of the version, which shows only these members of each item. */
export function formatWithMembers(
  version: InterfaceVersion,
  { name, mediaType, hypermedia }: Format,
  members: ReadonlySet<string>,
): Format {
  const base = hypermedia === undefined ? json : hal
  return { ...createVersionFormat(version, base, members), name, mediaType }
}

function createVersionFormat(
  version: InterfaceVersion,
  base: WritingFormat,
  members?: ReadonlySet<string>,
): Format {
  const convert = itemInVersion(version)
  const show = members ? (item: ItemView) => withMembers(convert(item), members) : convert
  const chosen = members ? `-${digest([...members])}` : ''
  return {
    name: base.name,
    mediaType: base.mediaType,
    variant: `${version.name}-${conversionDigest(version)}${chosen}`,
    viewKinds: base.viewKinds,
    ...(base.hypermedia === undefined ? {} : { hypermedia: base.hypermedia }),
    write: (view) => base.write(mapItems(version, view, show)),
    writeCollectionItem: (item) => base.writeCollectionItem?.(show(item)) ?? '',
  }
}

/** The item in the shape of the version; throws ConversionFailure. It is converted once, however often it is written. */
export const itemInVersion = memoizeByObject((version: InterfaceVersion) =>
  memoizeByObject((item: ItemView): ItemView => {
    const { embedded, hypermedia, visibleFields } = item
    const { resource } = visibleFields
    const links = hypermedia && contentLinks(version, resource, hypermedia.links)
    return {
      ...item,
      text: downText(version, resource, itemMembers(item)),
      ...(embedded ? { embedded: embeddedInVersion(version, resource, embedded) } : {}),
      ...(hypermedia && links ? { hypermedia: { ...hypermedia, links } } : {}),
    }
  }),
)

function embeddedInVersion(
  version: InterfaceVersion,
  resource: ResourceModel,
  embedded: ReadonlyMap<string, Embedded>,
): ReadonlyMap<string, Embedded> {
  const convert = itemInVersion(version)
  const items = [...embedded].map(([name, one]): [string, Embedded] => [
    oldName(version, resource, name) ?? name,
    one.kind === 'item' ? convert(one) : listInVersion(version, one),
  ])
  return new Map(items)
}

function listInVersion(version: InterfaceVersion, list: EmbeddedList): Embedded {
  const items = list.items.map(itemInVersion(version))
  return list.rest === undefined
    ? { ...list, items }
    : { ...list, items, rest: uriInVersion(list.rest, version) }
}

/** The links with the old names of renamed references, and with the schema of the version. */
export function translateLinks(
  version: InterfaceVersion,
  resource: ResourceModel | undefined,
  links: readonly Link[],
): readonly Link[] {
  return links.map((link) => {
    if (link.rel === 'describedby') return { ...link, target: uriInVersion(link.target, version) }
    if (!resource) return link
    const name = relationName(link.rel)
    const old = name === undefined ? undefined : oldName(version, resource, name)
    return old === undefined || old === name ? link : { ...link, rel: extensionRelation(old) }
  })
}

/** The links with URIs that name the version, so that a client that follows them stays in it. */
export function linksNamingVersion(version: InterfaceVersion, links: readonly Link[]): readonly Link[] {
  return links.map((link) =>
    // The search template has the version already.
    link.templated === undefined ? { ...link, target: uriInVersion(link.target, version) } : link,
  )
}

function contentLinks(
  version: InterfaceVersion,
  resource: ResourceModel,
  links: readonly Link[],
): readonly Link[] {
  return linksNamingVersion(version, translateLinks(version, resource, links))
}

function withMembers({ text = '{}', ...item }: ItemView, members: ReadonlySet<string>): ItemView {
  const kept = Object.entries(JSON.parse(text)).filter(([name]) => members.has(name))
  return { ...item, text: JSON.stringify(Object.fromEntries(kept)) }
}

function mapItems(version: InterfaceVersion, view: View, show: (item: ItemView) => ItemView): View {
  if (view.kind === 'item') return show(view)
  if (view.kind !== 'collection') return view
  const { hypermedia, resource } = view
  const links = hypermedia && contentLinks(version, resource, hypermedia.links)
  return {
    ...view,
    items: view.items.map(show),
    ...(hypermedia && links ? { hypermedia: { ...hypermedia, links } } : {}),
  }
}

/** Changes when the definition converts unchanged items in another way. */
const conversionDigest = memoizeByObject(({ resources }: InterfaceVersion) =>
  digest(
    [...resources].flatMap(([name, { oldNames, own, conversion }]) => [
      name,
      JSON.stringify([...oldNames, ...own.fieldByName.keys()]),
      String(conversion?.down),
    ]),
  ),
)

function digest(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 6)
}
