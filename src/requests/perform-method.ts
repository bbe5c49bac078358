/** Performs the method of a request on the current state of its target. */

import { callerRefusal } from '../access/access-refusal.ts'
import { createToken } from '../features/accounts/create-token.ts'
import { performAction } from '../features/logic/perform-action.ts'
import { createInvitation } from '../features/mail/invitations/create-invitation.ts'
import { isSignUpByMail, requestSignUp } from '../features/mail/sign-up/sign-up.ts'
import { createCredential } from '../features/second-factors/create-credential.ts'
import { createWebhook } from '../features/webhooks/create-webhook.ts'
import { parseFormMembers } from '../formats/form-reader.ts'
import { eventStream } from '../formats/server-sent-events.ts'
import { findEdit } from '../html/forms/edit-form.ts'
import type { UnwrappedRequest } from '../html/forms/form-request.ts'
import { performSelection, type RequestPerformer } from '../html/selection/perform-selection.ts'
import type { QueryPair } from '../http/query-string.ts'
import { type EntryHandler, performBatch } from './batch/perform-batch.ts'
import type { RequestContent } from './context/request-content.ts'
import { hasTarget, type RequestContext } from './context/request-context.ts'
import type { CollectionTarget, ItemTarget } from './context/target.ts'
import type { ResolvedQuery } from './decisions/resolved-query.ts'
import { streamEvents } from './events/event-feed.ts'
import { streamCollection } from './read/collection-stream.ts'
import type { CurrentState } from './read/current-state.ts'
import { readAggregates, readCollection, readDocument, readItem } from './read/read-target.ts'
import type { ViewResponse } from './respond/finish-response.ts'
import { withOldNames } from './versions/check-old-version-content.ts'
import { type SentContent, toPresentContent } from './versions/content-in-version.ts'
import { createMany, isBulk } from './write/create-bulk.ts'
import { membersOf } from './write/draft-from-content.ts'
import { performBuiltInOperation } from './write/perform-built-in-operation.ts'
import { addElement, removeElement } from './write/write-element.ts'
import { createAtUri, createItem, deleteItem, patchItem, replaceItem } from './write/write-item.ts'

/** A request that is parsed as far as possible without its content. */
export interface ParsedRequest {
  readonly context: RequestContext
  readonly request: UnwrappedRequest
  readonly query: ResolvedQuery
  readonly content: RequestContent | undefined
}

/** How the documents that take several requests perform each. */
export interface NestedRequests {
  readonly handleEntry: EntryHandler
  readonly performAlone: RequestPerformer
}

/** Reads the content only now: RFC 9110 §13.2.1 evaluates preconditions first. */
export async function performMethod(
  { context, query, request, content }: ParsedRequest,
  current: CurrentState,
  nested: NestedRequests,
): Promise<ViewResponse> {
  if (context.format === eventStream) return streamEvents(context, current, query, request)
  if (hasTarget(context, 'item') && context.target.operation !== undefined && current.kind === 'found') {
    return performBuiltInOperation(context, current, async () => content?.read())
  }
  const sent = { body: content && (await content.read()), content }
  if (hasTarget(context, 'item') && current.kind === 'found' && context.method === 'PUT') {
    const edit = await findEdit(request, content)
    if (edit) return patchItem(context, current, changedMembers(context.target, edit, sent.body), content)
  }
  if (!context.version) return perform({ context, query, nested }, current, sent)
  const converted = toPresentContent(context, current, sent)
  return withOldNames(context, () => perform({ context, query, nested }, current, converted))
}

/** The members of an edit by PUT whose fields the person changed: the others keep their current values. */
function changedMembers({ resource }: ItemTarget, edit: readonly QueryPair[], body: unknown) {
  const members = membersOf(body)
  const names = Object.keys(parseFormMembers(edit, { resource, patch: true }))
  return Object.fromEntries(names.map((name) => [name, members[name]]))
}

interface Performed {
  readonly context: RequestContext
  readonly query: ResolvedQuery
  readonly nested: NestedRequests
}

async function perform(
  { context, query, nested }: Performed,
  current: CurrentState,
  sent: SentContent,
): Promise<ViewResponse> {
  const { method } = context
  if (hasTarget(context, 'action')) return performAction(context, current, sent.body)
  if (hasTarget(context, 'document') && current.kind === 'document') {
    if (method !== 'POST') return readDocument(context, current)
    // The reader of a document that takes a form returns its pairs.
    const isForm = context.target.document.operations === 'selection'
    if (isForm) return performSelection(context, sent.body as readonly QueryPair[], nested.performAlone)
    return performBatch(context, sent.body, nested.handleEntry)
  }
  if (hasTarget(context, 'collection')) {
    if (method === 'POST') return createInCollection(context, current, sent.body)
    return performList(context, current, query)
  }
  if (hasTarget(context, 'item')) return performOnItem(context, current, sent)
  if (hasTarget(context, 'element') && current.kind === 'found') {
    return method === 'PUT' ? addElement(context, current) : removeElement(context, current)
  }
  throw notPerformable(context, current)
}

async function performList(
  context: RequestContext<CollectionTarget>,
  current: CurrentState,
  { list, isCounted }: ResolvedQuery,
): Promise<ViewResponse> {
  if (!list) throw notPerformable(context, current)
  switch (current.kind) {
    case 'streamed':
      return streamCollection(context, current, { list, isCounted })
    case 'aggregates':
      return readAggregates(context, current, { list, isCounted })
    case 'page':
    case 'unloaded-page':
      return readCollection(context, current, { list, isCounted })
    default:
      throw notPerformable(context, current)
  }
}

async function performOnItem(
  context: RequestContext<ItemTarget>,
  current: CurrentState,
  { body, content }: SentContent,
): Promise<ViewResponse> {
  const { method, caller } = context
  if (current.kind === 'absent' && method === 'PUT') {
    if (isSignUpByMail(context)) throw callerRefusal(caller, 'Sign up with a POST to the collection.')
    return createAtUri(context, current, body)
  }
  if (current.kind !== 'found') throw notPerformable(context, current)
  switch (method) {
    case 'PUT':
      return replaceItem(context, current, body)
    case 'PATCH':
      return patchItem(context, current, body, content)
    case 'DELETE':
      return deleteItem(context, current)
    default:
      return readItem(context, current)
  }
}

/** A fault of the service: the decisions before it let the request pass. */
function notPerformable({ method, target }: RequestContext, current: CurrentState): Error {
  return new Error(`${method} cannot be performed on a target of kind ${target.kind} that is ${current.kind}`)
}

/** POST to a collection creates what its resource is made of, one item or several, or asks for an account by mail. */
function createInCollection(
  context: RequestContext<CollectionTarget>,
  current: CurrentState,
  body: unknown,
): Promise<ViewResponse> {
  const { builtIn } = context.target.resource
  if (builtIn === 'tokens') return createToken(context, body)
  if (builtIn === 'webhooks') return createWebhook(context, body)
  if (builtIn === 'invitations') return createInvitation(context, body)
  if (isSignUpByMail(context)) return requestSignUp(context, current, body)
  if (builtIn === 'account_credentials') return createCredential(context, current, body)
  if (isBulk(context, body)) return createMany(context, current, body)
  return createItem(context, current, body)
}
