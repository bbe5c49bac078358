/** Loads the parts of the page of an item beside its members: why it cannot be deleted, its newest versions, its enrolment. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { IDENTITY, type Model } from '../../definition/model.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import { newestVersion } from '../../requests/events/item-history.ts'
import { loadVersions, versionObjects, versionTable } from '../../requests/events/load-item-history.ts'
import { refersTo } from '../../requests/write/deletion-cascade.ts'
import { all, any } from '../../store/condition.ts'
import { itemUri } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import { loadItemTitles, referencesInEntries } from './item-titles.ts'
import type { DeletionBlock, PageLayout } from './page-layout.ts'

/** The parts, for the layout that the page has so far. */
export async function loadItemParts(
  context: RequestContext,
  { titles }: PageLayout,
  view: ItemView,
): Promise<Partial<PageLayout>> {
  const { service, unit, caller } = context
  const shown = await loadShownVersions(context, view)
  return {
    deletionBlock: await loadDeletionBlock(unit, caller, view),
    ...(shown ? { versions: shown.versions, titles: new Map([...titles, ...shown.titles]) } : {}),
    ...(await loadEnrolment(service.model, view)),
  }
}

/** Why the item cannot be deleted, with the items that are in the way; undefined where the caller can delete it, or may not. */
async function loadDeletionBlock(
  unit: Pick<Unit, 'store'>,
  caller: Principal,
  view: ItemView,
): Promise<DeletionBlock | undefined> {
  const reason = view.hypermedia?.deletionBlock
  if (reason === undefined) return undefined
  return { reason, users: reason === 'referenced' ? await countReferring(unit, caller, view) : [] }
}

/** The numbers of items that refer to the item and prevent its deletion, of those that the caller may read. */
async function countReferring(
  { store }: Pick<Unit, 'store'>,
  caller: Principal,
  { row, visibleFields }: ItemView,
): Promise<DeletionBlock['users']> {
  const blocking = visibleFields.resource.referencedBy.filter(
    ({ resource, field }) =>
      (field.ref ?? field.refs)?.onDelete === 'restrict' &&
      rightsOf(resource, caller).visibility.get(field)?.kind === 'always',
  )
  const users = await Promise.all(
    [...Map.groupBy(blocking, ({ resource }) => resource)].map(async ([referring, references]) => {
      const refers = any(references.map(({ field }) => refersTo(field, [String(row[IDENTITY])])))
      const condition = all([refers, rightsOf(referring, caller).list])
      return { collection: referring.name, total: await store.count(referring.name, condition) }
    }),
  )
  return users.filter(({ total }) => total > 0)
}

const maxShownVersions = 5

/** The newest versions, with the titles that they show; undefined where the caller may not read the history. */
async function loadShownVersions(
  context: RequestContext,
  { row, visibleFields: { resource }, hypermedia }: ItemView,
): Promise<Pick<PageLayout, 'versions' | 'titles'> | undefined> {
  if (!hypermedia?.links.some(({ rel }) => rel === 'version-history')) return undefined
  const { unit, caller } = context
  const page = { direction: 'older', version: newestVersion, limit: maxShownVersions } as const
  const loaded = await loadVersions(context, { rights: rightsOf(resource, caller), row }, page)
  const versions = await versionObjects(context, loaded.versions)
  const { columns } = versionTable
  const references = referencesInEntries(unit.model, versions, { columns, resource })
  return { versions, titles: await loadItemTitles(unit, caller, references) }
}

/** Of a new credential: what enrols it on a device, which only its creation shows. */
async function loadEnrolment(
  model: Model,
  { row, visibleFields: { resource, fields } }: ItemView,
): Promise<Pick<PageLayout, 'qrCode' | 'passkey'>> {
  if (!resource.traits.shownInPart) return {}
  const shown = (name: string) => {
    const field = fields.find((one) => one.name === name)
    return field && row[field.index]
  }
  const [uri, options] = [shown('uri'), shown('options')]
  if (typeof options === 'string') {
    return { passkey: { options, target: `${itemUri(model, resource, row)}/confirm` } }
  }
  return typeof uri === 'string' ? { qrCode: await drawQrCode(uri) } : {}
}

/** The QR code as SVG. The library is loaded when the first one is drawn. */
async function drawQrCode(text: string): Promise<string> {
  const { renderSVG } = await import('uqr')
  const attributes = 'role="img" aria-label="QR code for authenticator apps" width="240" height="240"'
  return renderSVG(text, { border: 4 }).replace('<svg ', `<svg ${attributes} `)
}
