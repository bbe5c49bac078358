/** What the page of a refusal shows besides the problem: its frame, and the form that was refused. */

import { randomUUID } from 'node:crypto'
import { anonymous, type Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { findContentField } from '../../declare/current-password.ts'
import type { ResourceModel } from '../../declare/model.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { QueryPair } from '../../http/query-string.ts'
import type { Refusal } from '../../refusal.ts'
import { changedPairs, parseFormPairs } from '../../representations/form-reader.ts'
import { actionName } from '../../representations/html/form.ts'
import { creationOf } from '../../view/creation.ts'
import type { Frame, RefusedForm } from '../../view/frame.ts'
import { asksOf } from '../../view/record.ts'
import { lensOf } from '../../view/shape.ts'
import type { ItemView } from '../../view/view.ts'
import type { AdmittedContent } from '../content.ts'
import type { Context } from '../context.ts'
import type { Asked, Errand } from '../errand.ts'
import { plainUri } from '../listing.ts'
import { findById } from '../load.ts'
import { negotiateProblem } from '../negotiation.ts'
import { findOwnAccount } from '../own-account.ts'
import { prospectOf } from '../prospect.ts'
import type { CollectionTarget, ItemTarget, Target } from '../target.ts'
import { isForm } from './form-key.ts'
import { surroundings } from './frame.ts'
import { originOf } from './origin.ts'

/** What became known of a request before it was refused. */
export interface Known {
  readonly target: Target | undefined
  readonly who: Principal | undefined
  readonly asked: Asked | undefined
  readonly content: AdmittedContent | undefined
}

export interface RefusalPage {
  readonly frame: Frame
  readonly form?: RefusedForm
}

/** Undefined where the client does not want a page. */
export async function refusalPage(
  context: Context,
  refusal: Refusal,
  request: HttpRequest,
  { target, who = anonymous, asked, content }: Known,
): Promise<RefusalPage | undefined> {
  if (!negotiateProblem(target, request.fields.accept).framed) return undefined
  // After a form that was refused there is no page of that URI to come back to.
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const readable = isRead || target?.kind === 'document'
  const uri = target && readable ? plainUri(target) : ''
  const plain = surroundings(context.model, who, { origin: originOf(request), uri })
  // What went wrong may well be the store.
  if (refusal.status >= 500) return { frame: plain }
  const frame = { ...plain, account: await findOwnAccount(context, who) }
  const form = asked && isForm(request) ? await refusedForm(asked, refusal, content) : undefined
  if (!form) return { frame }
  const { titles = frame.titles } = form.item?.frame ?? {}
  return { frame: { ...frame, titles, formKey: randomUUID() }, form }
}

/** Refusals that another try with the same form may overcome. */
const amendable: ReadonlySet<number> = new Set([409, 412, 422, 428])

async function refusedForm(
  asked: Asked,
  refusal: Refusal,
  content: AdmittedContent | undefined,
): Promise<RefusedForm | undefined> {
  const { target } = asked
  if (!amendable.has(refusal.status) || !('resource' in target)) return undefined
  const pairs = content ? parseFormPairs(await content.octets()) : []
  if (target.kind === 'collection') return refusedCreation({ ...asked, target }, pairs)
  const { resource } = target
  const item = await itemNow({ ...asked, target })
  if (!item) return undefined
  const wanted = wantedAction(asked.method, resource, pairs)
  const action = item.hypermedia?.actions.find(({ name }) => name === wanted.name)
  // A page of its own says that it cannot be done any more; other refusals say why themselves.
  const isLate = refusal.status === 412 || wanted.kind === 'transition'
  if (!action && !isLate) return undefined
  const { kind, title } = wanted
  return { kind, title, resource, action, sent: shownPairs(resource, pairs), item }
}

function refusedCreation(
  { context, who, target, method }: Asked<CollectionTarget>,
  pairs: readonly QueryPair[],
): RefusedForm | undefined {
  const { resource } = target
  const action = creationOf(context.model, resource, who)
  if (method !== 'POST' || !action) return undefined
  const sent = shownPairs(resource, pairs)
  return { kind: 'create', title: 'Create', resource, action, sent, item: undefined }
}

/** Passwords are not sent back, nor values that the person did not change. */
function shownPairs(resource: ResourceModel, pairs: readonly QueryPair[]): readonly QueryPair[] {
  const changed = changedPairs(resource, pairs)
  return changed.filter(([name]) => findContentField(resource, name)?.kind !== 'password')
}

/** The item as its page would show it. */
async function itemNow(asked: Asked<ItemTarget>): Promise<ItemView | undefined> {
  const { context, who, target } = asked
  const rights = rightsOf(target.resource, who)
  const reading: Errand = { ...asked, method: 'GET' }
  const prospect = prospectOf(reading, lensOf(rights), rights)
  const asks = asksOf(target.resource, [rights.read, ...prospect.asks])
  const row = await findById(context.store, target.resource, target.id, asks.conditions)
  if (!row) return undefined
  const holds = asks.answersIn(row)
  if (!holds(rights.read)) return undefined
  return (await prospect.see(row, holds)).view
}

type WantedAction = Pick<RefusedForm, 'kind' | 'title'> & { readonly name: string }

/** The action that the form was of: it says so itself, or it writes a state. */
function wantedAction(
  method: Asked['method'],
  { fields }: ResourceModel,
  pairs: readonly QueryPair[],
): WantedAction {
  if (method === 'DELETE') return { kind: 'delete', name: 'delete', title: 'Delete' }
  const values = new Map(pairs)
  const named = values.get(actionName)
  const transitions = fields.flatMap(({ name, state }) =>
    (state?.transitions ?? []).map((transition) => ({ ...transition, field: name })),
  )
  const transition = transitions.find(({ name, to, field }) =>
    named === undefined
      ? values.get(field) === to
      : (named === name || named === `${field}-${name}`) && values.has(field),
  )
  if (!transition) return { kind: 'edit', name: 'default', title: 'Edit' }
  const { name } = transition
  return { kind: 'transition', name: named ?? name, title: name }
}
