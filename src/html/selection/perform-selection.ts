/** POST /batch/{collection}: performs a request for each selected item, and says what became of each. */

import { callerKey } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { JsonValue, ResourceModel } from '../../definition/model.ts'
import { decimalSignName } from '../../formats/written-number.ts'
import type { HttpRequest } from '../../http/message.ts'
import { formatQueryString, type QueryPair } from '../../http/query-string.ts'
import { formatPath } from '../../http/request-target.ts'
import { Refusal, refuse } from '../../refusal.ts'
import { octetContent } from '../../requests/context/octet-content.ts'
import type { Document, PostedDocument } from '../../requests/context/target.ts'
import { findById } from '../../requests/read/find-item.ts'
import { EarlyResponse } from '../../requests/respond/early-response.ts'
import { isListable } from '../../views/form-input.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { collectionUri } from '../../views/uri.ts'
import { loadTitles } from '../loading/item-titles.ts'
import { findOfferedChanges, maxSelected, type SelectionChange, selectionNames } from './selection.ts'

interface SelectedItems {
  readonly resource: ResourceModel
  readonly ids: readonly string[]
  /** Undefined where nothing is selected. */
  readonly change: SelectionChange | undefined
  /** The list that the form was on. */
  readonly from: string
}

/** The result of each item. Refuses 404, 422 and 429 before the first one. */
export async function performSelection(posted: PostedDocument): Promise<JsonValue> {
  // The reader of a form returns its pairs.
  const { resource, ids, change, from } = parseSelection(posted, posted.content as readonly QueryPair[])
  chargeRequests(posted, ids.length)
  const results: ItemResult[] = []
  for (const id of ids) {
    if (change) results.push(await changeItem(posted, { resource, change, id }))
  }
  const done = change && 'name' in change ? change.name : (change?.kind ?? 'none')
  return { collection: from, change: done, results }
}

function parseSelection(
  { service, caller, target }: PostedDocument,
  pairs: readonly QueryPair[],
): SelectedItems {
  const resource = service.model.resources.get(target.parameter ?? '')
  if (!resource || !isListable(resource, caller)) throw refuse('not-found')
  const values = new Map(pairs)
  const chosen = pairs.flatMap(([name, value]) => (name === selectionNames.id ? [value] : []))
  const ids = [...new Set(chosen)]
  if (ids.length > maxSelected) {
    throw refuse('invalid-content', { detail: `Select at most ${maxSelected} items.` })
  }
  const list = collectionUri(service.model, resource)
  const from = values.get(selectionNames.from) ?? ''
  const isList = from === list || from.startsWith(`${list}?`)
  const change = ids.length > 0 ? parseChange(resource, caller, values) : undefined
  return { resource, ids, change, from: isList ? from : list }
}

function parseChange(
  resource: ResourceModel,
  caller: PostedDocument['caller'],
  values: ReadonlyMap<string, string>,
): SelectionChange {
  const { changes, fields } = findOfferedChanges(resource, caller)
  const name = values.get(selectionNames.change) ?? ''
  const field = values.get(selectionNames.field) ?? ''
  if (name === 'set' && fields.some((one) => one.name === field)) {
    const value = values.get(selectionNames.value) ?? ''
    return { kind: 'set', field, value, decimal: values.get(decimalSignName) ?? '' }
  }
  const change = changes.get(name)
  if (change) return change
  throw refuse('invalid-content', { detail: 'This change is not possible in this list.' })
}

/** Counts each request except one: the form itself was counted as a request. Refuses 429. */
function chargeRequests({ service, caller, address }: PostedDocument, count: number): void {
  for (let counted = 1; counted < count; counted += 1) service.rateLimiter?.take(callerKey(caller, address))
}

/** A type and not an interface, so that it is JSON. */
type ItemResult = {
  readonly href: string
  readonly title: string
  readonly status: number
  /** Why it was refused. */
  readonly detail?: string
}

interface SelectedItem {
  readonly resource: ResourceModel
  readonly change: SelectionChange
  readonly id: string
}

async function changeItem(
  posted: PostedDocument,
  { resource, change, id }: SelectedItem,
): Promise<ItemResult> {
  const href = formatPath(collectionUri(posted.service.model, resource), [id])
  const shown = { href, title: (await findTitle(posted, resource, id)) ?? id }
  try {
    const { status } = await posted.perform(requestFor(posted, href, change))
    return { ...shown, status }
  } catch (error) {
    if (error instanceof EarlyResponse)
      return { ...shown, status: 404, detail: 'It has another address now.' }
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    return { ...shown, status: error.status, detail: describeRefusal(error) }
  }
}

function describeRefusal({ message, options }: Refusal): string {
  const faults = (options.errors ?? []).map(({ detail }) => detail)
  return faults.length > 0 ? faults.join(' ') : message
}

/** The title of the item, where the caller may read it. */
async function findTitle({ service, caller }: PostedDocument, resource: ResourceModel, id: string) {
  const { read } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read])
  const row = await findById(service.store, resource, id, checks.conditions)
  if (!row || !checks.readResults(row)(read)) return undefined
  const [title] = await loadTitles(service, caller, resource, [row])
  return title === '' ? undefined : title
}

/** The request that the change of one item is. `If-Match: *` meets resources that require a condition. */
function requestFor(
  { requestId, address, origin }: PostedDocument,
  href: string,
  change: SelectionChange,
): HttpRequest {
  const url = new URL(origin)
  const { method, target, type, body } = messageOf(href, change)
  return {
    id: requestId,
    method,
    target,
    fields: {
      host: url.host,
      accept: 'application/json',
      'if-match': '*',
      prefer: 'return=minimal',
      ...(body === '' ? {} : { 'content-type': type }),
    },
    content: octetContent(Buffer.from(body)),
    client: { address, secure: url.protocol === 'https:' },
  }
}

interface ChangeMessage {
  readonly method: string
  readonly target: string
  readonly type: string
  readonly body: string
}

const formType = 'application/x-www-form-urlencoded'

function messageOf(href: string, change: SelectionChange): ChangeMessage {
  switch (change.kind) {
    case 'delete':
      return { method: 'DELETE', target: href, type: formType, body: '' }
    case 'action':
      return { method: 'POST', target: formatPath(href, [change.name]), type: formType, body: '' }
    case 'transition': {
      const body = formatQueryString([[change.field, change.state]])
      return { method: 'PATCH', target: href, type: formType, body }
    }
    case 'set': {
      const body = formatQueryString([
        [change.field, change.value],
        [decimalSignName, change.decimal],
      ])
      return { method: 'PATCH', target: href, type: formType, body }
    }
  }
}

export const selection: Document = {
  route: '/batch/{collection}',
  name: 'selection',
  personal: true,
  cache: 'no-store',
  operations: 'selection',
  perform: performSelection,
  load({ service: { model }, caller, target }) {
    const resource = model.resources.get(target.parameter ?? '')
    if (!resource || !isListable(resource, caller)) throw refuse('not-found')
    return { data: { collection: collectionUri(model, resource), results: [] } }
  },
}
