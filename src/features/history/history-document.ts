/** /{collection}/{id}/history: the versions of an item, newest first, and each of them as it was. */

import { timestampSchema } from '../../definition/kinds/time.ts'
import { IDENTITY, type JsonSchema } from '../../definition/model.ts'
import { csv } from '../../formats/csv.ts'
import { formatsFor } from '../../formats/formats.ts'
import { ndjson } from '../../formats/ndjson.ts'
import type { Link } from '../../http/link.ts'
import { formatQueryString } from '../../http/query-string.ts'
import { formatPath } from '../../http/request-target.ts'
import { parseLimit } from '../../query/list-query.ts'
import { parseAllParameters } from '../../query/query-parameter.ts'
import { refuse } from '../../refusal.ts'
import type { Document, DocumentQuery } from '../../requests/context/target.ts'
import { newestVersion } from '../../requests/events/item-history.ts'
import {
  type ItemWithHistory,
  loadItemForHistory,
  loadVersions,
  versionObjects,
  versionTable,
} from '../../requests/events/load-item-history.ts'
import { notFoundOrHidden } from '../../requests/read/item-access.ts'
import { schemaLink } from '../../views/item-links.ts'
import { historyUri, itemUri } from '../../views/uri.ts'
import { findRestoreAction } from './restore-action.ts'

/** A change has `from` where there was a value before it, and `to` where there is one after it. */
const versionSchema: JsonSchema = {
  type: 'object',
  properties: {
    version: { type: 'string' },
    at: timestampSchema,
    by: { type: 'string', description: 'The id of the account, or the part of the service.' },
    kind: { type: 'string', description: '`created`, `updated`, or the name of the transition.' },
    changes: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { from: {}, to: {} } },
    },
  },
  required: ['version', 'at', 'kind', 'changes'],
}

export const history: Document = {
  route: '/{collection}/{id}/history',
  summary: 'The versions of the item, newest first',
  schema: { type: 'array', items: versionSchema },
  name: 'history',
  showsHistory: true,
  table: versionTable,
  personal: true,
  formats: [...formatsFor('document'), csv, ndjson],
  parameters: ['limit', 'after'],
  async load(query) {
    const { service, target } = query
    const { model } = service
    const parameters = new Map(parseAllParameters(target.query))
    const limit = parseLimit(parameters.get('limit'))
    const item = await loadItemForHistory(query)
    const { resource } = item.rights
    const version = startOf(query, item, parameters.get('after'))
    const page = await loadVersions(query, item, { direction: 'older', version, limit })
    const uri = historyUri(model, resource, item.row)
    const next = page.next === undefined ? [] : [nextLink(query, item, page.next)]
    const links: readonly Link[] = [
      { target: parameters.size === 0 ? uri : target.path + queryOf(parameters), rel: 'self' },
      { target: itemUri(model, resource, item.row), rel: 'latest-version' },
      { target: itemUri(model, resource, item.row), rel: 'up' },
      ...page.versions.map(({ entry }) => ({
        target: versionUri(query, item, entry.version),
        rel: 'item',
      })),
      ...next,
    ]
    const data = await versionObjects({ ...query, unit: query.service }, page.versions)
    return { data, hypermedia: { links, actions: [] }, item: item.view, resource }
  },
}

function queryOf(parameters: ReadonlyMap<string, string>): string {
  const kept = [...parameters].filter(([name]) => name !== 'format')
  return kept.length === 0 ? '' : `?${formatQueryString(kept)}`
}

/** The version before which the page begins; refuses 400 for a cursor of another item. */
function startOf({ service }: DocumentQuery, { row }: ItemWithHistory, after: string | undefined): number {
  if (after === undefined) return newestVersion
  const version = service.changes.versions.parse(String(row[IDENTITY]), after)
  if (version !== undefined) return version
  throw refuse('invalid-cursor', {
    detail: 'The cursor is not one of this history. Start again without it.',
  })
}

function nextLink({ service, target }: DocumentQuery, { row }: ItemWithHistory, version: number): Link {
  const cursor = service.changes.versions.format(String(row[IDENTITY]), version)
  const kept = parseAllParameters(target.query).filter(([name]) => name === 'limit')
  return { target: `${target.path}?${formatQueryString([...kept, ['after', cursor]])}`, rel: 'next' }
}

function versionUri({ service }: DocumentQuery, { rights, row }: ItemWithHistory, version: number): string {
  const token = service.changes.versions.format(String(row[IDENTITY]), version)
  return formatPath(historyUri(service.model, rights.resource, row), [token])
}

export const formerVersion: Document = {
  route: '/{collection}/{id}/history/{version}',
  summary: 'The item as it was in a version',
  schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  name: 'version',
  showsHistory: true,
  personal: true,
  async load(query) {
    const { service, caller, target } = query
    const { model } = service
    const item = await loadItemForHistory(query)
    const { row, rights, isTrue } = item
    const { resource } = rights
    const number = service.changes.versions.parse(String(row[IDENTITY]), target.parameter ?? '')
    if (number === undefined) throw notFoundOrHidden()
    const version = await findVersion(query, item, number)
    const action = findRestoreAction({ model, resource, caller, rights, isTrue, row }, version.item)
    const links = [
      { target: versionUri(query, item, number), rel: 'self' },
      { target: itemUri(model, resource, row), rel: 'latest-version' },
      { target: historyUri(model, resource, row), rel: 'version-history' },
      ...(await neighbourLinks(query, item, number)),
      schemaLink(model, resource),
    ]
    const hypermedia = { links, actions: action ? [action] : [] }
    return { data: version.members, hypermedia, name: resource.name, item: item.view, values: version.item }
  },
}

/** The version with that number; refuses 404 where the caller does not see it. */
async function findVersion(query: DocumentQuery, item: ItemWithHistory, number: number) {
  const page = await loadVersions(query, item, { direction: 'older', version: number + 1, limit: 1 })
  const [version] = page.versions
  if (version?.entry.version === number) return version
  throw notFoundOrHidden()
}

/** RFC 5829 §3: the visible versions before and after. */
async function neighbourLinks(query: DocumentQuery, item: ItemWithHistory, version: number) {
  const sides = [
    ['older', 'predecessor-version'],
    ['newer', 'successor-version'],
  ] as const
  const links: Link[] = []
  for (const [direction, rel] of sides) {
    const [found] = (await loadVersions(query, item, { direction, version, limit: 1 })).versions
    if (found) links.push({ target: versionUri(query, item, found.entry.version), rel })
  }
  return links
}
