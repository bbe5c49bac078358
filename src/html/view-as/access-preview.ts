/** A page as an account or a role would see it, within what the administrator who asks for it may read. */

import type { Account, Principal } from '../../access/principal.ts'
import { html } from '../../formats/html.ts'
import type { HttpResponse } from '../../http/message.ts'
import { formatQueryString, parseQueryString, type QueryPair } from '../../http/query-string.ts'
import { invalidParameter } from '../../query/query-parameter.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { DocumentTarget } from '../../requests/context/target.ts'
import { findFormat } from '../../requests/decisions/negotiate-format.ts'
import { resolveTarget } from '../../requests/decisions/resolve-target.ts'
import { accountParameter } from '../../requests/explanations/access-explanation.ts'
import { recordExplanation } from '../../requests/explanations/explanation-document.ts'
import { loadNamedAccount } from '../../requests/explanations/named-account.ts'
import type { AdmittedRequest } from '../../requests/handle-request.ts'
import { notFoundOrHidden } from '../../requests/read/item-access.ts'
import { pathAboveReserved, reservedUri } from '../../views/uri.ts'
import { isPreview } from './preview-document.ts'
import { asAccountParameter, asRoleParameter, declaredRoles, type ViewedAs } from './view-as.ts'

/** The request for the caller to show the page to, and who it is in words. */
export interface AccessPreview {
  readonly admitted: AdmittedRequest
  /** Undefined: the form that asks for a preview. */
  readonly viewedAs?: ViewedAs
}

/** The preview at the target; undefined where it is another one. The query is that of the list, with the viewer. */
export async function findPreview(admitted: AdmittedRequest): Promise<AccessPreview | undefined> {
  const { service, documents, caller, target, method, request } = admitted
  if (target.kind !== 'document' || !isPreview(target.document)) return undefined
  const pairs = parseQueryString(target.query ?? '') ?? []
  const [asked, ...others] = pairs.filter(isViewer)
  const [other] = others
  if (other) throw invalidParameter(other[0], 'cannot follow another viewer')
  const isPage = findFormat(target, method, request.fields.accept) === html
  if (method === 'POST' || !asked || !isPage) return { admitted: { ...admitted, target: ownTarget(target) } }
  const rest = formatQueryString(pairs.filter((pair) => pair !== asked))
  const path = pathAboveReserved(target.path)
  const shown = resolveTarget(service.model, documents, {
    ...request,
    target: rest ? `${path}?${rest}` : path,
  })
  if (!('resource' in shown) || !shown.resource.declared) throw notFoundOrHidden()
  const viewer = await loadViewer(service, caller, asked)
  const explanation =
    shown.kind === 'item' && viewer.account !== undefined
      ? `${reservedUri(path, 'access')}?${formatQueryString([[accountParameter, viewer.account]])}`
      : undefined
  return {
    admitted: { ...admitted, caller: viewer.caller, target: shown },
    viewedAs: { name: viewer.name, ...(explanation === undefined ? {} : { explanation }) },
  }
}

function isViewer([name]: QueryPair): boolean {
  return name === asAccountParameter || name === asRoleParameter
}

/** The form itself has no parameters: the others are those of the list. */
function ownTarget(target: DocumentTarget): DocumentTarget {
  const own = parseQueryString(target.query ?? '')?.filter(([name]) => name === 'format') ?? []
  return { ...target, query: own.length === 0 ? undefined : formatQueryString(own) }
}

interface PreviewCaller {
  readonly caller: Account
  readonly name: string
  /** The id of the account; undefined for a role. */
  readonly account?: string
}

/** Never more than the administrator may read. The view of a person is recorded in the audit. */
async function loadViewer(
  service: ServiceContext,
  caller: Principal,
  [name, value]: QueryPair,
): Promise<PreviewCaller> {
  if (name === asRoleParameter) {
    const roles = declaredRoles(service.model)
    if (!roles.includes(value)) throw invalidParameter(name, `must be one of ${roles.join(', ')}`)
    const holder = { ...accountWithoutItems, roles: new Set([value]), within: caller }
    return { caller: holder, name: `the role ${value}` }
  }
  const { resource, row, principal, login } = await loadNamedAccount({ service, caller }, name, value)
  await recordExplanation({ service, caller }, [[resource, row]])
  return { caller: { ...principal, within: caller }, name: login, account: value }
}

/** An account that owns nothing: no row has its identity. */
const accountWithoutItems = {
  kind: 'account',
  identity: '00000000-0000-0000-0000-000000000000',
  passwordMark: '',
  credential: { kind: 'password' },
} as const

/** The response is for this administrator and this moment: no cache stores it, and it names no other place of the page. */
export function toPreviewResponse(response: HttpResponse): HttpResponse {
  const { 'Content-Location': _, Link: __, ...fields } = response.fields
  return { ...response, fields: { ...fields, 'Cache-Control': 'no-store' } }
}
