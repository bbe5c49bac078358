/**
 * /sign-in and /sign-out: for pages alone. Signing in makes a token as anyone could and hands it
 * to the browser in a cookie; signing out deletes the token, so that it is dead wherever it is.
 */

import { createApiToken, makeRoomForToken, maxTokensPerAccount } from '../access/api-token.ts'
import type { Account } from '../access/principal.ts'
import { sha256 } from '../access/secret-token.ts'
import {
  findSessionCookie,
  formatExpiredSessionCookie,
  formatSessionCookie,
  sessionLifetime,
} from '../access/session-cookie.ts'
import type { Document, DocumentRequest } from '../context/target.ts'
import { IDENTITY, type Model, VERSION } from '../definition/model.ts'
import { allScopes } from '../definition/tokens-resource.ts'
import { seeOther } from '../html-pages/form-request.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { isCrossOrigin } from '../http/origin.ts'
import { parseQueryString } from '../http/query-string.ts'
import { refuse } from '../refusal.ts'
import { parseFormPairs } from '../representations/form-reader.ts'
import { always } from '../store/condition.ts'
import { findCreateAction } from '../view/create-action.ts'
import { homeUri, signInUri } from '../view/uri.ts'

const maxFormOctets = 8192

export const signIn: Document = {
  route: '/sign-in',
  name: 'sign-in',
  personal: true,
  methods: ['POST'],
  parameters: ['next'],
  async show({ model }) {
    return { title: 'Sign in', login: requireAccounts(model).login.name }
  },
  hypermedia({ model }, caller) {
    const links = [{ target: signInUri(model), rel: 'self' }]
    const creation = findCreateAction(model, requireAccounts(model).resource, caller)
    const signUp = creation && { ...creation, name: 'sign-up', title: 'Sign up' }
    return { links, actions: signUp && caller.kind === 'anonymous' ? [signUp] : [] }
  },
  async respond(visit) {
    requireAccounts(visit.service.model)
    requireEncryption(visit.request)
    return visit.request.method === 'POST' ? respondToSignIn(visit) : undefined
  },
}

export const signOut: Document = {
  route: '/sign-out',
  name: 'sign-out',
  personal: true,
  methods: ['POST'],
  show: async () => ({ title: 'Sign out' }),
  async respond(visit) {
    requireAccounts(visit.service.model)
    return visit.request.method === 'POST' ? respondToSignOut(visit) : undefined
  },
}

function requireAccounts({ accounts }: Model) {
  if (!accounts) throw refuse('not-found', { detail: 'This service has no accounts.' })
  return accounts
}

/** A password must not be readable on the way; browsers hold localhost to be as good as TLS. */
function requireEncryption({ fields, peer }: HttpRequest): void {
  const host = peer.host ?? fields.host ?? ''
  if (peer.secure || isLocal(host)) return
  throw refuse('forbidden', {
    detail:
      'Signing in is possible over HTTPS only: on this connection anyone on the way could read your password.',
  })
}

function isLocal(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(name)
  )
}

async function respondToSignIn({ service, request }: DocumentRequest): Promise<HttpResponse> {
  requireTrustedSender(service.model, request)
  const values = new Map(parseFormPairs(await request.content.read(maxFormOctets)))
  const credentials = `${values.get('login') ?? ''}:${values.get('password') ?? ''}`
  const basic = service.schemes.offered.get('basic')
  const encoded = Buffer.from(credentials).toString('base64')
  const caller = await basic?.authenticate(encoded, request.peer)
  if (caller?.kind !== 'account') {
    throw refuse('unauthenticated', {
      detail: `Wrong ${requireAccounts(service.model).login.name} or password.`,
    })
  }
  const token = await createSessionToken(service, caller)
  const cookie = formatSessionCookie(request.peer, token)
  return seeOther(nextOf(service.model, request), { 'Set-Cookie': cookie }).response
}

/** Or a page elsewhere could sign its visitor in under an account of its own. */
function requireTrustedSender({ origins }: Model, { fields, peer }: HttpRequest): void {
  const arrival = { host: peer.host ?? fields.host, secure: peer.secure }
  if (!isCrossOrigin(origins, fields, arrival) && fields['sec-fetch-site'] !== 'cross-site') return
  throw refuse('forbidden', { detail: 'A page of another origin sent this.' })
}

async function createSessionToken(
  { tokens, store, clock }: DocumentRequest['service'],
  owner: Account,
) {
  if (!tokens || !(await makeRoomForToken(tokens, owner))) {
    const detail = `An account has at most ${maxTokensPerAccount} tokens, signing in included. Delete some first.`
    throw refuse('forbidden', { detail })
  }
  const expiresAt = clock.now() + sessionLifetime * 1000
  const name = 'Signed in on pages'
  const wanted = { owner, name, scopes: allScopes, expiresAt, session: true } as const
  const { secret, values } = createApiToken(tokens, wanted)
  const table = tokens.resource.name
  const written = await store.write([{ kind: 'insert', table, values, result: always }])
  if (written.kind === 'done') return secret
  // The account went, or its password changed, between being checked and this.
  throw refuse('unauthenticated', { detail: 'The account has just changed. Sign in again.' })
}

async function respondToSignOut({ service, request }: DocumentRequest): Promise<HttpResponse> {
  requireSameOrigin(request)
  const secret = findSessionCookie(request)
  if (secret !== undefined) await deleteToken(service, secret)
  return seeOther(homeUri(service.model), {
    'Set-Cookie': formatExpiredSessionCookie(request.peer),
    // The next person at this browser must not find the pages of the last.
    'Clear-Site-Data': '"cache"',
  }).response
}

/** Every browser whose cookie counts sends Sec-Fetch-Site, so its absence is refused too. */
function requireSameOrigin({ fields }: HttpRequest): void {
  if (fields['sec-fetch-site'] === 'same-origin') return
  throw refuse('forbidden', {
    detail: 'Only a page of this service can sign you out. Use its Sign out button.',
  })
}

/** Until it is gone: its day of use may be written at the same time. */
async function deleteToken(
  { tokens, store, clock }: DocumentRequest['service'],
  secret: string,
): Promise<void> {
  if (!tokens) return
  const table = tokens.resource.name
  const lookup = { table, column: 'token', value: sha256(secret), evaluate: [] }
  for (let row = await store.find(lookup); row; row = await store.find(lookup)) {
    const [identity, version] = [row[IDENTITY] as string, row[VERSION] as number]
    const at = new Date(clock.now()).toISOString()
    await store.write([{ kind: 'remove', table, identity, version, guard: always, at }])
  }
}

/** Only to a place of this service: anything else would let links lead people astray. */
function nextOf(model: Model, { target }: HttpRequest): string {
  const at = target.indexOf('?')
  const next = at < 0 ? undefined : new Map(parseQueryString(target.slice(at + 1))).get('next')
  return next !== undefined && /^\/(?![/\\])[!-~]*$/.test(next) ? next : homeUri(model)
}
