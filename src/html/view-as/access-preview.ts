/**
 * `?view-as=LOGIN` and `?view-as-role=ROLE`: administrators get the HTML page of a collection or an item as an account
 * or a role would, within what they may read themselves. To others the parameters are unknown.
 */

import { isPermittedAdmin } from '../../access/access-refusal.ts'
import type { Account, Principal } from '../../access/principal.ts'
import { html } from '../../formats/html.ts'
import type { HttpResponse } from '../../http/message.ts'
import { formatQueryString, parseQueryString, type QueryPair } from '../../http/query-string.ts'
import { invalidParameter } from '../../query/query-parameter.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { Target } from '../../requests/context/target.ts'
import { explainAccessParameter, explanationScope } from '../../requests/explanations/access-explanation.ts'
import { findReadableAccount, recordExplanation } from '../../requests/explanations/explanation-document.ts'
import type { AdmittedRequest } from '../../requests/handle-request.ts'
import { negotiateProblem } from '../../requests/respond/offered-formats.ts'
import { declaredRoles, type ViewedAs, viewAsParameter, viewAsRoleParameter } from './view-as.ts'

/** The request for the caller to show the page to, without the parameter, and who it is in words. */
export interface AccessPreview {
  readonly admitted: AdmittedRequest
  readonly viewedAs: ViewedAs
}

/** The preview that an administrator requests; undefined for every other request. */
export async function findPreview(admitted: AdmittedRequest): Promise<AccessPreview | undefined> {
  const { service, caller, target } = admitted
  if (!target.query?.includes('view-as')) return undefined
  const pairs = parseQueryString(target.query) ?? []
  const asked = pairs.filter(([name]) => name === viewAsParameter || name === viewAsRoleParameter)
  const [first] = asked
  if (!first || asked.length > 1 || !mayPreview(admitted)) return undefined
  const rest = pairs.filter((pair) => pair !== first)
  const own = { ...target, query: rest.length === 0 ? undefined : formatQueryString(rest) }
  const shown = await previewedCaller(service, caller, first)
  return { admitted: { ...admitted, caller: shown, target: own }, viewedAs: describeView(target, first) }
}

/** Reads of HTML pages of declared resources, by administrators who may read the audit. */
function mayPreview({ service: { model }, caller, target, request }: AdmittedRequest): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const isWhole =
    (target.kind === 'collection' && target.parent === undefined) ||
    (target.kind === 'item' && target.within === undefined && target.ownAction === undefined)
  if (!isRead || !isWhole || !target.resource.declared) return false
  return (
    isPermittedAdmin(model, caller, explanationScope) &&
    negotiateProblem(target, request.fields.accept) === html
  )
}

/** Never more than the administrator may read. The view of a person is recorded in the audit. */
async function previewedCaller(
  service: ServiceContext,
  caller: Principal,
  [name, value]: QueryPair,
): Promise<Account> {
  if (name === viewAsRoleParameter) {
    const roles = declaredRoles(service.model)
    if (!roles.includes(value)) throw invalidParameter(name, `must be one of ${roles.join(', ')}`)
    return { ...accountWithoutItems, roles: new Set([value]), within: caller }
  }
  const { resource, row, principal } = await findReadableAccount({ service, caller }, name, value)
  await recordExplanation({ service, caller }, [[resource, row]])
  return { ...principal, within: caller }
}

function describeView({ kind, path }: Target, [name, value]: QueryPair): ViewedAs {
  if (name === viewAsRoleParameter) return { name: `the role ${value}` }
  const query = formatQueryString([[explainAccessParameter, value]])
  return kind === 'item' ? { name: value, explanation: `${path}?${query}` } : { name: value }
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
