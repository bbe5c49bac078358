/** The items that a query returned, as the caller may see them. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { ItemsResult, Model, ResourceModel } from '../../definition/model.ts'
import { createListQuery, maxLimit, parseListParameters } from '../../query/list-query.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { relationsBaseUri } from '../../requests/context/service-context.ts'
import { type ActionTarget, uriWithoutFormat } from '../../requests/context/target.ts'
import { keyValue } from '../../requests/read/find-item.ts'
import { loadPageAlone } from '../../requests/read/list-page.ts'
import { type ItemIds, LogicFailure } from '../../requests/write/logic-runner.ts'
import { all, type Condition, isOneOf, never } from '../../store/condition.ts'
import { createLinkBuilder, selectorWithLinks } from '../../views/item-links.ts'
import { idOf } from '../../views/uri.ts'
import type { CollectionView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import type { CollectedRun } from './collected-run.ts'
import { actionPlace } from './jobs/queue-job.ts'
import type { LogicRecord } from './logic-records.ts'

/** The ids of the rows. Throws a LogicFailure where the value is no list of rows or ids, or too long. */
export function parseItems(place: string, { collection }: ItemsResult, returned: unknown): ItemIds {
  const rows: readonly unknown[] = Array.isArray(returned) ? returned : [undefined]
  const ids = rows.map((row) => (typeof row === 'string' ? row : Object(row).id))
  const odd = ids.findIndex((id) => typeof id !== 'string')
  if (odd >= 0) {
    const what = Array.isArray(returned) ? `another value at ${odd}` : 'another value'
    throw new LogicFailure(place, `${place} must return a list of items of '${collection}', not ${what}.`)
  }
  if (ids.length > maxLimit) {
    throw new LogicFailure(place, `${place} returned ${ids.length} items, more than ${maxLimit}.`)
  }
  return { kind: 'items', collection, ids: [...new Set(ids)] }
}

function resourceOf({ resources }: Pick<Model, 'resources'>, { collection }: ItemIds): ResourceModel {
  const resource = resources.get(collection)
  if (resource) return resource
  throw new Error(`The definition has no collection '${collection}'`)
}

/** The condition of the items among those that the caller may read. */
function readableAmong(resource: ResourceModel, caller: Principal, { ids }: ItemIds): Condition {
  const values = ids.flatMap((id) => keyValue(resource, id) ?? [])
  if (values.length === 0) return never
  const path = [resource.keyField?.name ?? '_identity']
  return all([rightsOf(resource, caller).read, isOneOf(path, values)])
}

/**
 * The items in the order of the ids; those that the caller may not read are left out. Throws a LogicFailure where they
 * are larger than a page.
 */
export async function loadItems(
  { service, unit, caller, target, method, format, origin }: RequestContext<ActionTarget>,
  found: ItemIds,
): Promise<CollectionView> {
  const resource = resourceOf(unit.model, found)
  const selector = createFieldSelector(rightsOf(resource, caller), 'list')
  const uri = uriWithoutFormat(target)
  const parameters = parseListParameters({ resource, within: undefined }, { caller }, `limit=${maxLimit}`)
  const { view, links } = await loadPageAlone({
    unit,
    caller,
    selector: format.hypermedia
      ? selectorWithLinks(selector, createLinkBuilder(unit.model, resource, caller))
      : selector,
    uri,
    readCondition: readableAmong(resource, caller, found),
    query: createListQuery(parameters, undefined, unit.cursors),
    format,
  })
  if (links.some(({ rel }) => rel === 'next')) {
    const place = actionPlace(target.resource, target.action)
    throw new LogicFailure(place, `${place} returned items of more than ${unit.limits.page} octets.`)
  }
  const byId = new Map(view.items.map((item) => [idOf(resource, item.row), item]))
  const items = found.ids.flatMap((id) => byId.get(id) ?? [])
  if (!format.hypermedia) return { ...view, items }
  // The result of a QUERY depends on its content, which no URI repeats.
  const self = method === 'QUERY' ? [] : [{ target: uri, rel: 'self' }]
  return {
    ...view,
    items,
    hypermedia: { links: self, actions: [], relations: relationsBaseUri(service, origin) },
  }
}

/** The same as records, for programs. */
export async function readItems(
  run: Pick<CollectedRun, 'service' | 'store' | 'reader'>,
  found: ItemIds,
  caller: Principal,
): Promise<readonly LogicRecord[]> {
  const resource = resourceOf(run.service.model, found)
  const { checks, toRecords } = run.reader(resource, caller, 'list')
  const rows = await run.store.list({
    table: resource.name,
    condition: readableAmong(resource, caller, found),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: maxLimit,
    evaluated: checks.conditions,
  })
  const byId = new Map((await toRecords(rows)).map((record) => [record.id, record]))
  return found.ids.map((id) => byId.get(id)).filter((record) => record !== undefined)
}
