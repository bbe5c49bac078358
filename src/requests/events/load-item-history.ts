/** Loads the history of an item: the versions that the caller may see, with their authors. */

import { callerRefusal } from '../../access/access-refusal.ts'
import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { InterfaceVersion } from '../../definition/interface-version.ts'
import { IDENTITY, type JsonValue } from '../../definition/model.ts'
import type { Actor, RowHistoryQuery } from '../../store/change-log.ts'
import { all, always, type Condition, isOneOf, never } from '../../store/condition.ts'
import { listRows } from '../../store/table-rows.ts'
import { idOf } from '../../views/uri.ts'
import type { EntryTable } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import type { ServiceContext, Unit } from '../context/service-context.ts'
import {
  type DocumentContext,
  itemOfDocument,
  loadDocumentedItem,
  type ReadableItem,
} from '../read/item-of-document.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { HistoryPage } from './item-history.ts'
import type { ItemVersion } from './item-version.ts'

/** The table of the versions of an item. */
export const versionTable: EntryTable = {
  title: 'History',
  empty: 'No versions are kept.',
  next: 'Older →',
  columns: [
    { name: 'version' },
    { name: 'at', label: 'Time', shows: 'time', names: true },
    { name: 'by', label: 'By', shows: 'account', absent: 'unknown' },
    { name: 'kind', label: 'What', shows: 'label' },
    { name: 'changes', label: 'Changes', shows: 'changes' },
  ],
}

/** An item whose history the caller may read. */
export type ItemWithHistory = ReadableItem

export interface HistoryContext {
  readonly service: Pick<ServiceContext, 'changes'>
  readonly unit: Pick<Unit, 'model' | 'store'>
  readonly caller: Principal
}

/** The item of the target; refuses 404, 301, 401 and 403. */
export async function loadItemForHistory(context: DocumentContext): Promise<ItemWithHistory> {
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
  { rights, row }: Pick<ItemWithHistory, 'rights' | 'row'>,
  page: Pick<RowHistoryQuery, 'direction' | 'version' | 'containing' | 'limit'>,
): Promise<HistoryPage> {
  const selector = createFieldSelector(rights, 'change')
  const viewed = { rights, selector, condition: rights.history, shown: version && { version } }
  const keep = rights.resource.history?.keep
  const since = keep === undefined ? undefined : new Date(service.clock.now() - keep * 1000).toISOString()
  return service.changes.readHistory({ ...page, viewed, since, identity: String(row[IDENTITY]) })
}

/** The versions as JSON objects. */
export async function versionObjects(
  { service, unit, caller }: HistoryContext,
  versions: readonly ItemVersion[],
): Promise<readonly Readonly<Record<string, JsonValue>>[]> {
  const findAuthor = await loadAuthors(
    unit,
    caller,
    versions.map(({ entry }) => entry.actor),
  )
  return versions.map((version) => versionObject(service, version, findAuthor))
}

function versionObject(
  { changes: { versions } }: Pick<ServiceContext, 'changes'>,
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

/** The name of an actor; undefined where the caller may not know it. */
type FindAuthor = (actor: Actor | undefined) => string | undefined

/**
 * Loads the accounts among the actors that the caller may read, with one query. An account is named by
 * its id, the service itself by the part that made the change, another principal by its subject, and
 * that only to itself.
 */
async function loadAuthors(
  { model, store }: Pick<Unit, 'model' | 'store'>,
  caller: Principal,
  actors: readonly (Actor | undefined)[],
): Promise<FindAuthor> {
  const values = [...new Set(actors.flatMap((actor) => actor?.account ?? []))]
  const readable = model.accounts ? rightsOf(model.accounts.resource, caller).read : never
  const ids = await loadAccountIds({ model, store }, values, readable)
  return (actor) => {
    if (actor?.account !== undefined) return ids.get(actor.account)
    if (actor?.name !== undefined) return actor.name
    return actor && isSameSubject(caller, actor) ? actor.subject : undefined
  }
}

/** The ids of accounts by identity; deleted ones, and those that do not satisfy the condition, have none. */
export async function loadAccountIds(
  { model: { accounts }, store }: Pick<Unit, 'model' | 'store'>,
  values: readonly string[],
  only: Condition = always,
): Promise<ReadonlyMap<string, string>> {
  if (!accounts || values.length === 0) return new Map()
  const { resource } = accounts
  const condition = all([isOneOf(['_identity'], values), only])
  const rows = await listRows(store, resource, { condition, limit: values.length })
  return new Map(rows.map((row) => [String(row[IDENTITY]), idOf(resource, row)]))
}

function isSameSubject(caller: Principal, { issuer, subject }: Actor): boolean {
  return caller.kind === 'external' && caller.issuer === issuer && caller.subject === subject
}
