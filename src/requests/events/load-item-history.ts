/** Loads the history of an item: the versions that the caller may see, with their authors. */

import { callerRefusal } from '../../access/access-refusal.ts'
import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { InterfaceVersion } from '../../definition/interface-version.ts'
import { IDENTITY, type JsonValue } from '../../definition/model.ts'
import type { RowHistoryQuery } from '../../store/change-log.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import type { ServiceContext } from '../context/service-context.ts'
import {
  type DocumentContext,
  itemOfDocument,
  loadDocumentedItem,
  type ReadableItem,
} from '../read/item-of-document.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { HistoryPage } from './item-history.ts'
import type { ItemVersion } from './item-version.ts'
import { type FindAuthor, loadAuthors } from './version-author.ts'

/** An item whose history the caller may read. */
export type HistoricItem = ReadableItem

export interface HistoryContext {
  readonly service: ServiceContext
  readonly caller: Principal
}

/** The item of the target; refuses 404, 301, 401 and 403. */
export async function loadHistoricItem(context: DocumentContext): Promise<HistoricItem> {
  const { history } = rightsOf(itemOfDocument(context).resource, context.caller)
  const item = await loadDocumentedItem(context, [history])
  if (!item.isTrue(history)) throw callerRefusal(context.caller)
  return item
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
