/** POST /batch: performs several requests in one transaction, or none of them. */

import { callerKey } from '../../access/principal.ts'
import type { InterfaceVersion } from '../../definition/interface-version.ts'
import type { JsonValue } from '../../definition/model.ts'
import { type HttpRequest, type HttpResponse, noFields, type ResponseFields } from '../../http/message.ts'
import { parseQueryString } from '../../http/query-string.ts'
import { versionParameter } from '../../query/query-parameter.ts'
import { Refusal, refuse } from '../../refusal.ts'
import type { Store } from '../../store/store.ts'
import { uriInVersion } from '../../views/uri.ts'
import type { DocumentView } from '../../views/view.ts'
import { octetContent } from '../context/octet-content.ts'
import type { RequestContext } from '../context/request-context.ts'
import { type Unit, withStore } from '../context/service-context.ts'
import { type DocumentTarget, isFileTarget, isMadeFile, type Target } from '../context/target.ts'
import { toDryRunResponse } from '../decisions/dry-run.ts'
import { EarlyResponse } from '../respond/early-response.ts'
import { finishRefusal, type ViewResponse } from '../respond/finish-response.ts'
import { type CommitChange, commitChange } from '../write/commit.ts'
import { refusalAt } from '../write/content-places.ts'
import { LostRace } from '../write/lost-race.ts'
import type { PlannedChange, RefusedWrite, WriteProblem } from '../write/planned-change.ts'
import { problemOf } from '../write/refused-write.ts'
import { type BatchEntry, bindIds, parseBatch } from './batch-content.ts'
import { BatchStore } from './batch-store.ts'

/** Handles one request of a batch for the caller of the batch: all decisions after authentication. */
export type EntryHandler = (
  unit: Unit,
  request: HttpRequest,
  addToBatch: CommitChange,
) => Promise<HandledEntry>

export interface HandledEntry {
  readonly context: RequestContext
  readonly response: HttpResponse
}

type BatchContext = RequestContext<DocumentTarget>

/** An entry that was performed, and its response. */
interface PerformedEntry {
  readonly context: RequestContext
  readonly entry: BatchEntry
  readonly response: HttpResponse
  /** Its part of the batch; undefined for an assertion, whose reads are repeated, and for a dry run. */
  readonly change: PlannedChange | undefined
  /** Where its writes are among those of the batch. */
  readonly begin: number
  readonly end: number
}

/** A type and not an interface, so that it is JSON. */
type ShownResponse = {
  readonly id?: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: JsonValue
}

/** 200 with the response to each request; refuses 422 where one of them is refused. */
export async function performBatch(
  context: BatchContext,
  body: unknown,
  handle: EntryHandler,
): Promise<PlannedChange> {
  const entries = parseBatch(body)
  const rateLimitFields = chargeEntries(context, body, entries.length)
  const store = new BatchStore(context.unit.store, context.unit.model)
  const performed: PerformedEntry[] = []
  for (const [index, entry] of entries.entries()) {
    performed.push(
      await inEntry(context, index, () => performEntry(context, entry, { handle, store, performed })),
    )
  }
  const view: DocumentView = {
    kind: 'document',
    name: 'batch',
    page: 'batch',
    data: { responses: performed.map((one) => shownEntry(context, one)) },
  }
  const response: ViewResponse = {
    status: 200,
    view,
    links: [],
    fields: { ...rateLimitFields },
    isMinimal: true,
  }
  const problem = (refused: RefusedWrite) => problemOfEntry(context, performed, refused)
  return { writes: store.writes, response, problemOf: problem }
}

/** The problem of the entry with the write, as that of the batch. */
async function problemOfEntry(
  batch: BatchContext,
  performed: readonly PerformedEntry[],
  { index, reason }: RefusedWrite,
): Promise<WriteProblem> {
  const at = performed.findIndex(({ end }) => index < end)
  const entry = performed[at]
  // A read of an assertion that is no longer so.
  if (!entry?.change) return new LostRace()
  const problem = await problemOf(entry.context, entry.change, { index: index - entry.begin, reason })
  return problem instanceof Refusal ? toBatchRefusal(batch, at, problem) : problem
}

/** The fields of the bodies whose entries were counted: a batch that lost a race is performed again. */
const charged = new WeakMap<object, ResponseFields>()

/**
 * Counts each request except one: the batch itself was counted as a request. Returns the RateLimit fields
 * after the last one; refuses 429.
 */
function chargeEntries(
  { service, caller, address }: BatchContext,
  body: unknown,
  count: number,
): ResponseFields {
  const { rateLimiter } = service
  let fields = charged.get(body as object) ?? noFields
  if (!rateLimiter || charged.has(body as object)) return fields
  for (let counted = 1; counted < count; counted += 1) fields = rateLimiter.take(callerKey(caller, address))
  charged.set(body as object, fields)
  return fields
}

interface BatchState {
  readonly handle: EntryHandler
  readonly store: BatchStore
  readonly performed: readonly PerformedEntry[]
}

async function performEntry(
  batch: BatchContext,
  entry: BatchEntry,
  { handle, store, performed }: BatchState,
): Promise<PerformedEntry> {
  const begin = store.writes.length
  let change: PlannedChange | undefined
  const addToBatch: CommitChange = async (context, planned) => {
    if (context.isDryRun) return commitChange(context, planned)
    await batch.unit.files?.quota?.requireRoom(planned.writes)
    await store.add(planned.writes)
    change = planned
    return planned.response
  }
  const handleIn = (collected: Store) => (request: HttpRequest) =>
    handle(withStore(batch.unit, collected), request, addToBatch)
  const { context, response } = await (entry.method === undefined
    ? assertItem(batch, entry, handleIn(store.reading))
    : handleIn(store.writing)(requestOf(batch, entry, boundBody(entry, performed))))
  return { context, entry, response, change, begin, end: store.writes.length }
}

/** 200 where the item meets the conditions; 204 where `if-none-match: *` asserts that it is absent, and it is. */
async function assertItem(
  batch: BatchContext,
  entry: BatchEntry,
  handle: (request: HttpRequest) => Promise<HandledEntry>,
): Promise<HandledEntry> {
  try {
    const { context, response } = await handle(requestOf(batch, entry, undefined))
    if (response.status === 304) throw refuse('precondition-failed')
    return { context, response: { status: response.status, fields: response.fields } }
  } catch (error) {
    const isAbsent = error instanceof Refusal && (error.status === 404 || error.status === 410)
    if (!isAbsent || entry.headers['if-none-match'] !== '*') throw error
    return { context: batch, response: { status: 204, fields: {} } }
  }
}

function requestOf(
  { requestId, address, origin, version }: BatchContext,
  entry: BatchEntry,
  body: JsonValue | undefined,
): HttpRequest {
  const { headers, method = 'HEAD' as const } = entry
  const path = version ? pathInVersion(entry.path, version) : entry.path
  if (Array.isArray(body) && method === 'POST') throw oneItem()
  const url = new URL(origin)
  return {
    id: requestId,
    method,
    target: path,
    fields: { 'content-type': 'application/json', ...headers, accept: 'application/json', host: url.host },
    content: octetContent(Buffer.from(body === undefined ? '' : JSON.stringify(body))),
    client: { address, secure: url.protocol === 'https:' },
  }
}

/** The requests of a batch have its version; refuses 400 where one names another. */
function pathInVersion(path: string, version: InterfaceVersion): string {
  const [, query = ''] = path.split('?', 2)
  const named = parseQueryString(query)?.find(([name]) => name === versionParameter)?.[1]
  if (named === undefined) return uriInVersion(path, version)
  if (named === version.name) return path
  throw refuse('malformed-request', {
    detail: `The request names the version ${named}, and the batch the version ${version.name}.`,
  })
}

/** The body with the ids that earlier entries made. */
function boundBody(entry: BatchEntry, performed: readonly PerformedEntry[]): JsonValue | undefined {
  if (entry.bindings.length === 0) return entry.body
  const idOf = (index: number) => {
    const location = performed[index]?.response.fields.Location
    if (typeof location !== 'string') throw invalidBinding('The earlier request made no item.')
    return decodeURIComponent(location.slice(location.lastIndexOf('/') + 1))
  }
  const body = bindIds(entry, idOf)
  if (body === undefined) throw invalidBinding('A pointer names no place in the body.')
  return body
}

function invalidBinding(detail: string): Refusal {
  return refuse('invalid-content', { detail: `'bind' cannot be applied. ${detail}` })
}

function oneItem(): Refusal {
  return refuse('invalid-content', {
    detail: 'A request of a batch creates one item. Send a request for each.',
  })
}

const shownFields = ['Location', 'Content-Location', 'ETag', 'Last-Modified', 'Preference-Applied']

/** The response to an entry. In a dry run it is that of a single dry run; assertions are about stored items. */
function shownEntry({ isDryRun, preferences }: BatchContext, performed: PerformedEntry): ShownResponse {
  const { id, method } = performed.entry
  const { response } = performed
  const shown = shownResponse(isDryRun && method !== undefined ? toDryRunResponse(response) : response)
  const { body: _, ...withoutBody } = shown
  const isMinimal = preferences.get('return') === 'minimal'
  return { ...(id === undefined ? {} : { id }), ...(isMinimal ? withoutBody : shown) }
}

function shownResponse({ status, fields, body }: HttpResponse): ShownResponse {
  const headers = shownFields.flatMap((name) =>
    typeof fields[name] === 'string' ? [[name.toLowerCase(), fields[name]] as const] : [],
  )
  const text = body === undefined ? '' : Buffer.from(body as Uint8Array).toString()
  return { status, headers: Object.fromEntries(headers), ...(text === '' ? {} : { body: JSON.parse(text) }) }
}

/** Performs an entry. Its refusal becomes one of the batch. */
async function inEntry<Result>(
  batch: BatchContext,
  index: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const refusal = error instanceof EarlyResponse ? movedRefusal(error) : error
    throw refusal instanceof Refusal ? toBatchRefusal(batch, index, refusal) : refusal
  }
}

/** Statuses of an entry that the whole batch has too. Others, such as 404, would be about the URI of the batch. */
const sharedStatuses: ReadonlySet<number> = new Set([403, 409, 412, 422])

/** The refusal of the batch that names the entry. Failures and limits of the service are not about one entry. */
function toBatchRefusal({ service, requestId }: BatchContext, index: number, refusal: Refusal): Refusal {
  const { status } = refusal
  if (status >= 500 || status === 429) return refusal
  const accept = 'application/problem+json'
  const shown = refusalAt(`/requests/${index}/body`, refusal)
  const { body } = finishRefusal(service, shown, { id: requestId, target: undefined, accept })
  return refuse('batch-refused', {
    ...(sharedStatuses.has(status) && { status }),
    detail: `The request at index ${index} was refused, so that none has an effect: ${refusal.message}`,
    members: { index, problem: JSON.parse(String(body)) },
  })
}

/** A batch follows no redirect. */
function movedRefusal({ response }: EarlyResponse): Refusal {
  return refuse('not-found', { detail: `This item is at ${String(response.fields.Location)} now.` })
}

/** Refuses a request with 422 whose target or method cannot be part of a batch. */
export function requireBatchableTarget(target: Target, method: string): void {
  const detail = findObstacle(target, method)
  if (detail !== undefined) throw refuse('invalid-content', { detail })
}

/** Refuses content with 422 that cannot be part of a batch. */
export function requireBatchableContent(
  { target, version }: Pick<RequestContext, 'target' | 'version'>,
  body: unknown,
): void {
  const detail = findPassword(target, body) ?? (version && findConvertedPassword(target, version, body))
  if (detail !== undefined) throw refuse('invalid-content', { detail })
}

/** Code may make a password of any member. */
function findConvertedPassword(target: Target, version: InterfaceVersion, body: unknown): string | undefined {
  if (body === undefined || !('resource' in target) || !version.resources.has(target.resource.name))
    return undefined
  const hasPassword = target.resource.fields.some(({ kind }) => kind.isHashed)
  return hasPassword ? `A batch cannot write ${target.resource.name} in version ${version.name}.` : undefined
}

function findObstacle(target: Target, method: string): string | undefined {
  const isOther = !('resource' in target) || isFileTarget(target)
  if (isOther) return 'A batch has requests for collections, items and actions only.'
  const { resource } = target
  if (!resource.declared) return `A batch cannot write ${resource.name}.`
  if (target.kind === 'action' && target.action.background) return 'A batch cannot start a job.'
  if (isMadeFile(target)) return 'A batch has no files.'
  if (target.kind === 'action' && target.action.isSafe) return 'A batch cannot ask a query.'
  return method === 'HEAD' && target.kind !== 'item' ? 'An assertion names an item.' : undefined
}

function findPassword(target: Target, body: unknown): string | undefined {
  if (!('resource' in target)) return undefined
  const passwords = target.resource.fields.filter(({ kind }) => kind.isHashed).map(({ name }) => name)
  const sent = typeof body === 'object' && body !== null ? Object.keys(body) : []
  const written = sent.find((name) => passwords.includes(name) || name === 'currentPassword')
  return passwords.length > 0 && written !== undefined ? 'A batch cannot write passwords.' : undefined
}
