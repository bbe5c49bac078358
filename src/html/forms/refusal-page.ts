/** The HTML page of a refusal: its layout, and the refused form with the values that were sent. */

import { anonymous } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { formActionName, parseFormPairs } from '../../formats/form-reader.ts'
import { html } from '../../formats/html.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { serviceOrigin } from '../../http/origin.ts'
import { parseQueryString, type QueryPair } from '../../http/query-string.ts'
import { fullSelection } from '../../query/item-query.ts'
import type { Refusal } from '../../refusal.ts'
import { kindOf } from '../../requests/context/operation-of.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { RequestTrace } from '../../requests/context/request-trace.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import {
  type ActionTarget,
  type CollectionTarget,
  type DocumentTarget,
  isFileTarget,
  type Target,
  uriWithoutFormat,
} from '../../requests/context/target.ts'
import { findById } from '../../requests/read/find-item.ts'
import { itemPresenter } from '../../requests/read/item-presenter.ts'
import { loadDocument } from '../../requests/read/load-current-state.ts'
import { loadParent } from '../../requests/read/load-parent.ts'
import { createProblemView, refusalFields } from '../../requests/respond/finish-response.ts'
import { negotiateProblem } from '../../requests/respond/offered-formats.ts'
import { findCreateAction } from '../../views/create-action.ts'
import { findCollectionActions, findServiceActions } from '../../views/declared-actions.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import type { ItemView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import { type DocumentPages, inLanguageOf, writePage } from '../html.ts'
import { loadAccountLink } from '../loading/account-link.ts'
import { loadItemTitles, loadReferredTextsOf, referencesIn } from '../loading/item-titles.ts'
import { createBaseLayout } from '../loading/load-page-layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { loadReferenceChoices } from '../loading/reference-choices.ts'
import { tokenChoicesOf } from '../loading/token-choices.ts'
import type { RefusedForm, RefusedView } from '../page-view.ts'
import { findConflicts } from './form-conflicts.ts'
import { isForm } from './form-key.ts'
import { findRefusedImport } from './refused-import.ts'
import { findLostEdit, findUnsentForm, shownPairs } from './unsent-form.ts'

/** The response with the page; undefined when the client does not prefer HTML. */
export async function respondWithPage(
  service: ServiceContext,
  refusal: Refusal,
  request: HttpRequest,
  { trace, pages }: { readonly trace: RequestTrace; readonly pages: DocumentPages },
): Promise<HttpResponse | undefined> {
  const { target } = trace
  if (negotiateProblem(target, request.fields.accept) !== html) return undefined
  return inLanguageOf(service.model, request, async () => {
    const { layout, ...sent } = await loadRefusedPage(service, refusal, request, trace)
    const view: RefusedView = { ...createProblemView(service.model, refusal, request.id), ...sent }
    const { body, fields } = writePage(layout, view, pages)
    const refused = refusalFields(service.schemes, refusal, { target, format: html, isForPage: true })
    return { status: refusal.status, fields: { ...refused, ...fields }, body }
  })
}

interface RefusedPage extends Pick<RefusedView, 'form' | 'refusedImport' | 'unsent' | 'lost'> {
  readonly layout: PageLayout
}

async function loadRefusedPage(
  service: ServiceContext,
  refusal: Refusal,
  request: HttpRequest,
  { target, caller = anonymous, context, content }: RequestTrace,
): Promise<RefusedPage> {
  // The URI of a refused form has no page to return to.
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const hasPage = isRead || target?.kind === 'document'
  const uri = target && hasPage ? uriWithoutFormat(target) : ''
  const plain = createBaseLayout(service, caller, { origin: serviceOrigin(request), uri })
  // The store may be unavailable.
  if (refusal.status >= 500) return { layout: plain }
  const layout = { ...plain, account: await loadAccountLink(service, caller) }
  const sentForm = { request, target, content }
  const maxOctets = service.limits.content
  if (refusal.status === 401 && caller.kind === 'anonymous' && !isFormOfDocument(target)) {
    const unsent = await findUnsentForm(sentForm, maxOctets)
    return unsent ? { layout, unsent } : { layout }
  }
  if (refusal.status === 404 || refusal.status === 410) {
    return { layout, lost: await findLostEdit(sentForm, maxOctets) }
  }
  const refusedImport = context && (await findRefusedImport(context, refusal, { request, content }))
  if (refusedImport) return { layout, refusedImport }
  const isFilledIn = isForm(request) || isAsked(target, refusal)
  const form = context && isFilledIn ? await refusedForm(service, context, { refusal, content }) : undefined
  if (!form) return { layout }
  const shown = form.item ? [form.item] : []
  const referred = await loadReferredTextsOf(service, caller, shown)
  const titles = new Map([...(await loadItemTitles(service, caller, referencesIn(shown))), ...referred])
  const actions = form.action ? [form.action] : []
  const choices = await loadReferenceChoices(service, caller, actions, form.sent)
  const ofToken = tokenChoicesOf(service, caller, form.resource)
  return { layout: { ...layout, titles, choices, ...ofToken }, form }
}

/** Whether the parameters of a query were refused, as a form sends them. */
function isAsked(target: Target | undefined, { status }: Refusal): boolean {
  return target?.kind === 'action' && target.action.isSafe && status === 400
}

/** Whether the target is a document with a form of its own, such as that to sign in. */
function isFormOfDocument(target: Target | undefined): boolean {
  return target?.kind === 'document' && target.document.form !== undefined
}

/** The statuses after which the person can correct the form and send it again. */
const correctable: ReadonlySet<number> = new Set([409, 412, 422, 428])

async function refusedForm(
  service: ServiceContext,
  context: RequestContext,
  { refusal, content }: { readonly refusal: Refusal; readonly content: RequestContent | undefined },
): Promise<RefusedForm | undefined> {
  const { target } = context
  if (target.kind === 'document') return refusedDocument(service, { ...context, target }, content)
  if (isAsked(target, refusal) && target.kind === 'action') {
    return refusedAction({ ...context, target }, parseQueryString(target.query ?? '') ?? [])
  }
  if (!correctable.has(refusal.status) || !('resource' in target)) return undefined
  if (target.kind === 'element' || isFileTarget(target)) return undefined
  const pairs = content ? parseFormPairs(await content.octets()) : []
  if (target.kind === 'collection') return refusedCreation({ ...context, target }, pairs)
  if (target.kind === 'action') return refusedAction({ ...context, target }, pairs)
  const { resource, id } = target
  const item = await loadItem(context, resource, id)
  if (!item) return undefined
  const { kind, name, title } = findAction(context.method, resource, pairs)
  const action = item.hypermedia?.actions.find((action) => action.name === name)
  // The page says that the action is no longer possible; other refusals give their own reason.
  const isOutdated = refusal.status === 412 || kind === 'transition'
  if (!action && !isOutdated) return undefined
  const isEdit = kind === 'edit' && refusal.status === 412
  const conflicts = isEdit ? findConflicts(pairs, item) : []
  return { kind, title, resource, action, sent: shownPairs(resource, pairs), conflicts, item }
}

/** The form of the document, as its own page shows it to the caller. */
async function refusedDocument(
  service: ServiceContext,
  context: RequestContext<DocumentTarget>,
  content: RequestContent | undefined,
): Promise<RefusedForm | undefined> {
  const { form } = context.target.document
  if (!form) return undefined
  const loaded = await loadDocument({ ...context, method: 'GET', format: html }, noFeed, { service })
  if (loaded.kind !== 'document' || loaded.view.kind !== 'document') return undefined
  const resource = form.input(service.model)
  const pairs = content ? parseFormPairs(await content.octets()) : []
  // A code is a secret too.
  const sent = shownPairs(resource, pairs).filter(([name]) => !resource.fieldByName.get(name)?.writeOnly)
  const action = loaded.view.hypermedia?.actions.find(({ isOfDocument }) => isOfDocument)
  const { title } = form
  const refused = { kind: 'action', title, resource, action, sent, conflicts: [], item: undefined } as const
  return { ...refused, document: loaded.view }
}

const noFeed = { selection: fullSelection, list: undefined, isCounted: false } as const

async function refusedCreation(
  context: RequestContext<CollectionTarget>,
  pairs: readonly QueryPair[],
): Promise<RefusedForm | undefined> {
  const { service, caller, target, method } = context
  const { resource } = target
  const parent = target.parent && (await loadParent(context, target.parent))
  if (parent?.kind === 'absent') return undefined
  const action = findCreateAction(service.model, resource, caller, parent)
  if (method !== 'POST' || !action) return undefined
  const sent = shownPairs(resource, pairs)
  return { kind: 'create', title: 'Create', resource, action, sent, conflicts: [], item: undefined }
}

async function refusedAction(
  context: RequestContext<ActionTarget>,
  pairs: readonly QueryPair[],
): Promise<RefusedForm | undefined> {
  const { service, caller, target } = context
  const { resource, id, action } = target
  const item = id === undefined ? undefined : await loadItem(context, resource, id)
  if (id !== undefined && !item) return undefined
  const { model } = service
  const withoutItem = () =>
    resource === model.service
      ? findServiceActions(model, caller)
      : findCollectionActions(model, resource, caller)
  const offered = item ? item.hypermedia?.actions : withoutItem()
  const form = offered?.find(({ name }) => name === action.name)
  return {
    kind: 'action',
    title: action.name,
    resource,
    action: form,
    sent: shownPairs(action.input, pairs),
    conflicts: [],
    item,
  }
}

/** The item as its page would show it. */
async function loadItem(
  context: RequestContext,
  resource: ResourceModel,
  id: string,
): Promise<ItemView | undefined> {
  const { unit, caller, target } = context
  const rights = rightsOf(resource, caller)
  const shown = { method: 'GET', target: itemOf(target, resource, id), format: html } as const
  const reading: RequestContext = { ...context, ...shown }
  const presenter = itemPresenter(reading, createFieldSelector(rights, 'item'), rights)
  const checks = createRowChecks(resource, [rights.read, ...presenter.conditions])
  const row = await findById(unit.store, resource, id, checks.conditions)
  if (!row) return undefined
  const isTrue = checks.readResults(row)
  if (!isTrue(rights.read)) return undefined
  return (await presenter.present(row, isTrue)).view
}

/** The item that the refused request is for: an action has its URI below it. */
function itemOf(target: Target, resource: ResourceModel, id: string): Target {
  if (kindOf(target) === 'item') return target
  const path = target.path.slice(0, target.path.lastIndexOf('/'))
  const { query, route } = target
  return { kind: 'item', resource, id, path, query, route, readsOtherResources: false }
}

type FormAction = Pick<RefusedForm, 'kind' | 'title'> & { readonly name: string }

/** The action of the form: named in the form, or found by the state that the form sets. */
function findAction(
  method: RequestContext['method'],
  { fields }: ResourceModel,
  pairs: readonly QueryPair[],
): FormAction {
  if (method === 'DELETE') return { kind: 'delete', name: 'delete', title: 'Delete' }
  const values = new Map(pairs)
  const named = values.get(formActionName)
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
