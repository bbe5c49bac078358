/**
 * /sign-in/{name} sends the browser to a provider, /sign-in/{name}/callback takes it back: after a GET the person signs in,
 * after a POST its account is linked. The state between them is in an encrypted cookie. The callback responds with a page
 * that redirects: a 303 would still be a navigation from the provider, with which browsers do not send the session cookie.
 */

import { callerRefusal } from '../../access/access-refusal.ts'
import { authenticate } from '../../access/authenticate.ts'
import { type Account, mayChangeCredentials } from '../../access/principal.ts'
import type { ProviderModel } from '../../definition/provider.ts'
import { redirectPage } from '../../html/redirect-page.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { serviceOrigin } from '../../http/origin.ts'
import { invalidContent, Refusal, refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { partOf } from '../../requests/context/service-part.ts'
import type { Document, DocumentRequest } from '../../requests/context/target.ts'
import { readPostedMembers, textFaults } from '../../requests/documents/posted-members.ts'
import { requireOwnProof } from '../../requests/documents/posted-password.ts'
import { seeOther } from '../../requests/respond/early-response.ts'
import { providerUri, signInUri } from '../../views/uri.ts'
import { ownCredentialsUri, respondToFirstFactor } from '../sign-in/session.ts'
import { nextOf, requireEncryption, requireOwnSender } from '../sign-in/sign-in.ts'
import { linkProvider, requireProviderAccount } from './provider-account.ts'
import type { ProviderClient } from './provider-client.ts'
import { providerClients } from './provider-clients.ts'
import {
  findFlow,
  flowLifetime,
  formatExpiredFlowCookie,
  formatFlowCookie,
  type SignInFlow,
} from './sign-in-flow.ts'

export const providerSignIn: Document = {
  route: '/sign-in/{name}',
  name: 'provider-sign-in',
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  respond: (received) => (received.request.method === 'POST' ? beginLink(received) : beginSignIn(received)),
}

export const providerCallback: Document = {
  route: '/sign-in/{name}/callback',
  name: 'provider-callback',
  personal: true,
  cache: 'no-store',
  respond: finish,
}

interface FoundProvider {
  readonly model: ProviderModel
  readonly client: ProviderClient
  /** The absolute URI of its callback. */
  readonly callback: string
}

/** Refuses 404 an unknown provider. */
function requireProvider({ service, request, target }: DocumentRequest): FoundProvider {
  const { model: all, publicUrl } = service
  const model = all.providers.find(({ name }) => name === target.parameter)
  const client = partOf(service, providerClients).get(target.parameter ?? '')
  if (!model || !client) throw refuse('not-found', { detail: 'There is no such provider to sign in with.' })
  const root = publicUrl ?? serviceOrigin(request) + all.base
  return { model, client, callback: `${root}${providerUri({ base: '' }, model.name)}/callback` }
}

/** 303 to the provider. */
async function beginSignIn(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request } = received
  requireEncryption(request)
  const begun = await begin(received, { next: nextOf(service.model, request) })
  return seeOther(begun.uri, { 'Set-Cookie': begun.cookie }).response
}

/**
 * 200 with a page that leads to the provider: a form may not be redirected to another site. Refuses what a change of the
 * own password is refused for.
 */
async function beginLink(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request } = received
  requireEncryption(request)
  requireOwnSender(request)
  const account = await requireOwner(service, request)
  const { currentPassword, ...others } = (await readPostedMembers(received)).members
  const faults = textFaults(others, [])
  if (faults.length > 0) throw invalidContent(faults)
  await requireOwnProof(received, account, currentPassword)
  const { identity, passwordMark, credential } = account
  const session = credential.kind === 'token' ? credential.identity : undefined
  const { uri, cookie } = await begin(received, {
    next: await ownCredentialsUri(service, account),
    link: { account: identity, passwordMark, session },
  })
  return redirectPage(uri, 'Link a provider', { 'Set-Cookie': cookie })
}

/** The account that may change its credentials; refuses 401 and 403. */
async function requireOwner({ schemes }: ServiceContext, request: HttpRequest): Promise<Account> {
  const caller = await authenticate(schemes, request)
  if (caller.kind === 'account' && mayChangeCredentials(caller)) return caller
  throw callerRefusal(caller, 'A token or a JWT cannot link a provider. Sign in on the HTML pages.')
}

/** Where the browser goes, and the cookie with the flow. */
async function begin(
  received: DocumentRequest,
  purpose: Pick<SignInFlow, 'next' | 'link'>,
): Promise<{ readonly uri: string; readonly cookie: string }> {
  const { service, request } = received
  const { model, client, callback } = requireProvider(received)
  const { uri, ...secrets } = await client.begin(callback)
  const expiresAt = service.clock.now() + flowLifetime * 1000
  const flow: SignInFlow = { provider: model.name, ...secrets, ...purpose, expiresAt }
  return { uri, cookie: formatFlowCookie(request.client, service.encryption, flow) }
}

/** 200 with a page that redirects. Every outcome ends the flow. */
async function finish(received: DocumentRequest): Promise<HttpResponse> {
  const { client } = received.request
  const ended = formatExpiredFlowCookie(client)
  try {
    return toPage(await arrive(received), ended)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const fields = { ...error.options.fields, 'Set-Cookie': ended }
    throw refuse(error.type, { ...error.options, fields })
  }
}

/** 303: with a session, to the second step of an account with a second factor, or to the credentials with the new one. */
async function arrive(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request, target } = received
  requireEncryption(request)
  const { model: provider, client, callback } = requireProvider(received)
  const flow = findFlow(request, service.encryption, service.clock.now())
  // A response of one provider must not end the flow of another one (RFC 9700 §4.4).
  if (flow?.provider !== provider.name) {
    throw refuse('malformed-request', {
      detail: `This sign-in was not begun in this browser within the last ten minutes. Start again at ${signInUri(service.model)}.`,
    })
  }
  const uri = new URL(`${callback}?${target.query ?? ''}`)
  const identity = await client.finish(uri, flow)
  const arrival = { provider, identity, requestId: request.id }
  if (flow.link) {
    // The browser has its session, and the link is no proof for another one.
    await linkProvider(service, arrival, flow.link)
    return seeOther(flow.next).response
  }
  const account = await requireProviderAccount(service, arrival)
  const proof = { name: provider.name, authenticatedAt: identity.authenticatedAt }
  return respondToFirstFactor(service, request, { account, provider: proof }, flow.next)
}

/** The redirect as a page, with its cookies. */
function toPage({ fields: redirect }: HttpResponse, ended: string): HttpResponse {
  const cookies = [redirect['Set-Cookie'] ?? [], ended].flat()
  return redirectPage(String(redirect.Location), 'Continue', { 'Set-Cookie': cookies })
}
