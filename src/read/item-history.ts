/** Loads the history of an item: the versions that the caller may see, with their authors. */

import { callerRefusal } from '../access/access-refusal.ts'
import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { HistoryPage } from '../changes/item-history.ts'
import type { ItemVersion } from '../changes/item-version.ts'
import { type FindAuthor, loadAuthors } from '../changes/version-author.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { DocumentTarget } from '../context/target.ts'
import type { InterfaceVersion } from '../definition/interface-version.ts'
import { IDENTITY, type JsonValue } from '../definition/model.ts'
import type { RowHistoryQuery } from '../store/change-log.ts'
import type { Row } from '../store/row.ts'
import { actionConditions } from '../view/item-actions.ts'
import { createItemView } from '../view/item-view.ts'
import { createRowChecks } from '../view/row-checks.ts'
import type { ItemView } from '../view/view.ts'
import { type ConditionResult, createFieldSelector } from '../view/visible-fields.ts'
import { findById, hiddenItem, loadAbsence } from './find-item.ts'
import { absenceOf } from './item-access.ts'

/** An item whose history the caller may read. */
export interface HistoricItem {
  readonly rights: Rights
  readonly row: Row
  readonly holds: ConditionResult
  readonly view: ItemView
}

export interface HistoryContext {
  readonly service: ServiceContext
  readonly caller: Principal
}

/** The item of the target; refuses 404, 410, 301, 401 and 403. */
export async function loadHistoricItem(
  context: HistoryContext & { readonly target: DocumentTarget },
): Promise<HistoricItem> {
  const { service, caller, target } = context
  const { item } = target
  if (!item) throw new Error('The document is not below an item')
  const { resource, id } = item
  const rights = rightsOf(resource, caller)
  const selector = createFieldSelector(rights, 'list')
  const needed = [rights.read, rights.history, ...selector.conditions, ...actionConditions(rights)]
  const checks = createRowChecks(resource, needed)
  const row = await findById(service.store, resource, id, checks.conditions)
  if (!row) throw await absenceOf(context, resource, await loadAbsence(service, caller, { resource, id }))
  const isTrue = checks.readResults(row)
  if (!isTrue(rights.read)) throw await absenceOf(context, resource, hiddenItem)
  if (!isTrue(rights.history)) throw callerRefusal(caller)
  return { rights, row, holds: isTrue, view: createItemView(row, selector, isTrue) }
}

/** The versions that the caller sees, away from a version. */
export function loadVersions(
  {
    service,
    version,
  }: {
    readonly service: Pick<ServiceContext, 'clock'> & { readonly changes: Pick<ChangeFeed, 'readHistory'> }
    readonly version?: InterfaceVersion | undefined
  },
  { rights, row }: Pick<HistoricItem, 'rights' | 'row'>,
  page: Pick<RowHistoryQuery, 'direction' | 'version' | 'limit'>,
): Promise<HistoryPage> {
  const selector = createFieldSelector(rights, 'change')
  const viewed = { rights, selector, condition: rights.history, shown: version && { version } }
  const keep = rights.resource.history?.keep
  const since = keep === undefined ? undefined : new Date(service.clock.now() - keep * 1000).toISOString()
  return service.changes.readHistory({ ...page, viewed, since, identity: String(row[IDENTITY]) })
}

/** The versions as JSON objects. */
export async function versionObjects(
  { service, caller }: HistoryContext,
  versions: readonly ItemVersion[],
): Promise<readonly Readonly<Record<string, JsonValue>>[]> {
  const findAuthor = await loadAuthors(
    service,
    caller,
    versions.map(({ entry }) => entry.actor),
  )
  return versions.map((version) => versionObject(service, version, findAuthor))
}

function versionObject(
  { changes: { versions } }: ServiceContext,
  { entry, changes }: ItemVersion,
  findAuthor: FindAuthor,
): Readonly<Record<string, JsonValue>> {
  const by = findAuthor(entry.actor)
  const changed = [...changes].map(([name, { from, to }]) => [
    name,
    { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
  ])
  return {
    version: versions.format(entry.identity, entry.version),
    at: entry.at,
    ...(by === undefined ? {} : { by }),
    kind: entry.action ?? entry.kind,
    changes: Object.fromEntries(changed),
  }
}
