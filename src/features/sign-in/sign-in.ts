/**
 * /sign-in and /sign-out, for HTML pages. Signing in creates a token and sets it as a cookie; signing
 * out deletes the token, so that it is invalid everywhere.
 */

import { sha256 } from '../../access/secret-token.ts'
import { findSessionCookie, formatExpiredSessionCookie } from '../../access/session-cookie.ts'
import { IDENTITY, type Model } from '../../definition/model.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { isCrossOrigin } from '../../http/origin.ts'
import { parseQueryString } from '../../http/query-string.ts'
import { refuse } from '../../refusal.ts'
import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import { type Document, type DocumentForm, uriWithoutFormat } from '../../requests/context/target.ts'
import { seeOther } from '../../requests/respond/early-response.ts'
import { deleteRow, readField } from '../../store/row-fields.ts'
import { findRow } from '../../store/table-rows.ts'
import { findCreateAction } from '../../views/create-action.ts'
import { formAction } from '../../views/form-action.ts'
import { signInFacts } from '../../views/sign-in-facts.ts'
import { homeUri, signInUri } from '../../views/uri.ts'
import { finishFirstFactor } from './session.ts'

const signInForm: DocumentForm = {
  ...signInFacts,
  status: 303,
  authenticates: false,
  async submit({ service, request, members }) {
    const given = { login: String(members.login), password: String(members.password) }
    const account = await accountsOf(service).verifyLogin(given, request.client)
    if (account) return finishFirstFactor(service, request, { account }, nextOf(service.model, request))
    throw refuse('unauthenticated', {
      detail: `Wrong ${requireAccounts(service.model).login.name} or password.`,
    })
  },
}

export const signIn: Document = {
  route: '/sign-in',
  name: 'sign-in',
  personal: true,
  operations: 'postedDocument',
  parameters: ['next'],
  form: signInForm,
  load({ service: { model }, caller, target }) {
    const { resource, login } = requireAccounts(model)
    const links = [{ target: signInUri(model), rel: 'self' }]
    const signInAction = formAction(model, signInForm, uriWithoutFormat(target))
    const creation = caller.kind === 'anonymous' ? findCreateAction(model, resource, caller) : undefined
    const signUp = creation ? [{ ...creation, name: 'sign-up', title: 'Sign up' }] : []
    return {
      data: { title: 'Sign in', login: login.name },
      hypermedia: { links, actions: [signInAction, ...signUp] },
    }
  },
  async respond({ service, request }) {
    requireAccounts(service.model)
    requireEncryption(request)
    if (request.method === 'POST') requireOwnSender(request)
    return undefined
  },
}

export const signOut: Document = {
  route: '/sign-out',
  name: 'sign-out',
  personal: true,
  operations: 'postedDocument',
  load: () => ({ data: { title: 'Sign out' } }),
  async respond({ service, request }) {
    requireAccounts(service.model)
    return request.method === 'POST' ? respondToSignOut(service, request) : undefined
  },
}

/** The accounts; refuses 404 where the service has none. */
export function requireAccounts({ accounts }: Model) {
  if (!accounts) throw refuse('not-found', { detail: 'This service has no accounts.' })
  return accounts
}

/** Refuses 403 when the password would be sent in clear text. Browsers treat localhost like TLS. */
export function requireEncryption({ fields, client }: HttpRequest): void {
  const host = client.host ?? fields.host ?? ''
  if (client.secure || isLocalHost(host)) return
  throw refuse('forbidden', {
    detail: 'Sign in over HTTPS. On this connection your password could be read by others on the network.',
  })
}

/** Whether a Host field names this machine. */
export function isLocalHost(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(name)
  )
}

/**
 * Refuses 403 when a page of another origin, listed or not, sent the request: it could sign its visitor in to an account
 * of its own.
 */
export function requireOwnSender(request: HttpRequest): void {
  requireSenderOf([], request)
}

/** Refuses 403 when a page of another, unlisted origin sent the request. */
export function requireTrustedSender({ origins }: Model, request: HttpRequest): void {
  requireSenderOf(origins, request)
}

function requireSenderOf(origins: readonly string[], { fields, client }: HttpRequest): void {
  const arrival = { host: client.host ?? fields.host, secure: client.secure }
  if (!isCrossOrigin(origins, fields, arrival)) return
  throw refuse('forbidden', { detail: 'A page of another origin sent this request.' })
}

async function respondToSignOut(service: ServiceContext, request: HttpRequest): Promise<HttpResponse> {
  requireSameOrigin(request)
  const secret = findSessionCookie(request)
  if (secret !== undefined) await deleteToken(service, secret, request.id)
  return seeOther(homeUri(service.model), {
    'Set-Cookie': formatExpiredSessionCookie(request.client),
    // The next person at this browser must not see cached pages.
    'Clear-Site-Data': '"cache"',
  }).response
}

/** Every supported browser sends Sec-Fetch-Site, so its absence is refused too. */
function requireSameOrigin({ fields }: HttpRequest): void {
  if (fields['sec-fetch-site'] === 'same-origin') return
  throw refuse('forbidden', {
    detail: 'Only a page of this service can sign you out. Use its Sign out button.',
  })
}

/** Repeats until the token is deleted: its last use may be written at the same time. */
async function deleteToken(service: ServiceContext, secret: string, request: string) {
  const { store, clock } = service
  const { tokens } = accountsOf(service)
  const { resource } = tokens
  const find = () => findRow(store, resource, sha256(secret), 'token')
  for (let row = await find(); row; row = await find()) {
    const at = new Date(clock.now()).toISOString()
    const actor = { account: String(readField(resource, row, 'owner')), token: String(row[IDENTITY]) }
    await store.write([deleteRow(resource, row, at)], { actor, request })
  }
}

/** The URI to go to after signing in. Only a path of this service: a link must not lead to another site. */
export function nextOf(model: Model, { target }: HttpRequest): string {
  const at = target.indexOf('?')
  const next = at < 0 ? undefined : new Map(parseQueryString(target.slice(at + 1))).get('next')
  return next !== undefined && /^\/(?![/\\])[!-~]*$/.test(next) ? next : homeUri(model)
}
