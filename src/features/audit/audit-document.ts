/** /audit: who changed what and who signed in, newest first, for administrators. */

import { IDENTITY, type JsonValue } from '../../definition/model.ts'
import { csv } from '../../formats/csv.ts'
import { formatsFor } from '../../formats/formats.ts'
import { ndjson } from '../../formats/ndjson.ts'
import { formatQueryString } from '../../http/query-string.ts'
import { sealAudit } from '../../operation/audit-sealing.ts'
import { parseLimit } from '../../query/list-query.ts'
import { invalidParameter, parseAllParameters } from '../../query/query-parameter.ts'
import { type Document, type DocumentQuery, uriWithoutFormat } from '../../requests/context/target.ts'
import { loadAccountIds } from '../../requests/events/load-item-history.ts'
import { findById } from '../../requests/read/find-item.ts'
import { type AuditEntry, type AuditFilter, maxScannedEntries } from '../../store/audit-chain.ts'
import { auditUri } from '../../views/uri.ts'

const members = ['at', 'actor', 'kind', 'collection', 'item']

export const audit: Document = {
  route: '/audit',
  summary: 'Changes and sign-ins, newest first',
  schema: {
    type: 'array',
    items: {
      type: 'object',
      properties: Object.fromEntries(members.map((name) => [name, { type: 'string' }])),
      required: ['at', 'kind', 'collection', 'item'],
    },
  },
  name: 'audit',
  table: {
    title: 'Audit',
    lead: 'Changes and sign-ins, newest first.',
    empty: 'No entries match.',
    next: 'Older →',
    columns: [
      { name: 'at', label: 'Time', shows: 'time' },
      { name: 'actor', label: 'Actor', shows: 'account', absent: 'anonymous' },
      { name: 'kind', label: 'What', shows: 'label' },
      { name: 'collection', label: 'Collection', shows: 'collection' },
      { name: 'item', label: 'Item', shows: 'item' },
    ],
  },
  personal: true,
  cache: 'no-store',
  hasEntityTag: false,
  audience: 'admin',
  formats: [...formatsFor('document'), csv, ndjson],
  parameters: ['limit', 'after', 'at', 'at[gte]', 'at[lte]', 'actor', 'kind', 'collection', 'item'],
  async load(query) {
    const { service, target } = query
    const { model, store, changes } = service
    const parameters = new Map(parseAllParameters(target.query))
    const limit = parseLimit(parameters.get('limit'))
    const after = parameters.get('after')
    const filter = await filterOf(query, parameters)
    await sealAudit(store.audit, model)
    const { checkpoint, end } = await store.audit.extent()
    const number = after === undefined ? end.number + 1 : changes.parsePosition(after).position
    const found = await store.audit.list({ direction: 'older', number, limit, filter })
    // A page without enough matches ends where the store has stopped looking.
    const last = found.length === limit ? found.at(-1)?.number : number - maxScannedEntries
    const kept = [...parameters].filter(([name]) => name !== 'after' && name !== 'format')
    const next =
      last !== undefined && last > checkpoint.number + 1
        ? [[...kept, ['after', changes.formatPosition({ position: last, changesRead: 0 })] as const]]
        : []
    const uri = auditUri(model)
    const links = [
      { target: uriWithoutFormat(target), rel: 'self' },
      ...next.map((pairs) => ({ target: `${uri}?${formatQueryString(pairs)}`, rel: 'next' })),
    ]
    const data = await auditObjects(query, found)
    // A page finds the titles of items by their identities.
    const entries = data.map((entry, at) => ({ ...entry, identity: found[at]?.identity ?? '' }))
    return { data, entries, hypermedia: { links, actions: [] } }
  },
}

async function filterOf(
  { service }: DocumentQuery,
  parameters: ReadonlyMap<string, string>,
): Promise<AuditFilter> {
  const [at, from, to] = ['at', 'at[gte]', 'at[lte]'].map((name) => parseTime(name, parameters.get(name)))
  const [kind, table, id, actor] = ['kind', 'collection', 'item', 'actor'].map((name) => parameters.get(name))
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(table === undefined ? {} : { table }),
    ...(id === undefined ? {} : { id }),
    ...(actor === undefined ? {} : { actor: await identityOf(service, actor) }),
    ...withDefined('from', from ?? at),
    ...withDefined('to', to ?? at),
  }
}

function withDefined<Name extends string>(name: Name, value: string | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: string }
}

function parseTime(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) {
    throw invalidParameter(name, 'must be a timestamp such as 2026-02-28T12:00:00Z')
  }
  return new Date(time).toISOString()
}

/** The identity of the account with that id; other actors are named as they are. */
async function identityOf({ model, store }: DocumentQuery['service'], actor: string): Promise<string> {
  const row = model.accounts && (await findById(store, model.accounts.resource, actor, []))
  return row ? String(row[IDENTITY]) : actor
}

async function auditObjects(
  { service }: DocumentQuery,
  entries: readonly AuditEntry[],
): Promise<readonly Readonly<Record<string, JsonValue>>[]> {
  const actors = entries.map(({ actor }) => (actor === undefined ? {} : JSON.parse(actor)))
  const ids = await loadAccountIds(service, [...new Set(actors.flatMap(({ account }) => account ?? []))])
  return entries.map(({ at, kind, table, id }, index) => {
    const { account, name, subject } = actors[index]
    const actor = ids.get(account) ?? account ?? name ?? subject
    return { at, ...(actor === undefined ? {} : { actor }), kind, collection: table, item: id }
  })
}
