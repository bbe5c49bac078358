/**
 * /sign-in/{name} sends the browser to a provider, /sign-in/{name}/callback takes it back. The state between them is in
 * an encrypted cookie. The callback responds with a page that redirects: a 303 would still be a navigation from the provider,
 * with which browsers do not send the session cookie.
 */

import { authenticate } from '../../access/authenticate.ts'
import { isSession } from '../../access/principal.ts'
import type { ProviderModel } from '../../definition/provider.ts'
import { seeOther } from '../../html/forms/form-request.ts'
import { redirectPage } from '../../html/redirect-page.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { serviceOrigin } from '../../http/origin.ts'
import { Refusal, refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { Document, DocumentRequest } from '../../requests/context/target.ts'
import { providerUri, signInUri } from '../../views/uri.ts'
import { respondToFirstFactor } from '../sign-in/session.ts'
import { nextOf, requireEncryption } from '../sign-in/sign-in.ts'
import { requireProviderAccount } from './provider-account.ts'
import type { ProviderClient } from './provider-client.ts'
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
  loadContent: async () => ({ title: 'Sign in' }),
  respond: begin,
}

export const providerCallback: Document = {
  route: '/sign-in/{name}/callback',
  name: 'provider-callback',
  personal: true,
  cache: 'no-store',
  loadContent: async () => ({ title: 'Sign in' }),
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
  const { model: all, providers, publicUrl } = service
  const model = all.providers.find(({ name }) => name === target.parameter)
  const client = providers.get(target.parameter ?? '')
  if (!model || !client) throw refuse('not-found', { detail: 'There is no such provider to sign in with.' })
  const root = publicUrl ?? serviceOrigin(request) + all.base
  return { model, client, callback: `${root}${providerUri({ base: '' }, model.name)}/callback` }
}

/** 303 to the provider. */
async function begin(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request } = received
  requireEncryption(request)
  const { model, client, callback } = requireProvider(received)
  const account = await findSignedIn(service, request)
  const { uri, ...secrets } = await client.begin(callback)
  const flow: SignInFlow = {
    provider: model.name,
    ...secrets,
    next: nextOf(service.model, request),
    ...(account && { account }),
    expiresAt: service.clock.now() + flowLifetime * 1000,
  }
  const cookie = formatFlowCookie(request.client, service.encryption, flow)
  return seeOther(uri, { 'Set-Cookie': cookie }).response
}

/** The account that this browser is signed in to; its cookie does not come with links from other sites. */
async function findSignedIn(
  { schemes }: ServiceContext,
  request: HttpRequest,
): Promise<SignInFlow['account']> {
  const caller = await authenticate(schemes, request)
  if (caller.kind !== 'account' || !isSession(caller)) return undefined
  const { identity, passwordMark } = caller
  return { identity, passwordMark }
}

/** 200 with a page that redirects. Every outcome ends the flow. */
async function finish(received: DocumentRequest): Promise<HttpResponse> {
  const { client } = received.request
  const ended = formatExpiredFlowCookie(client)
  try {
    return toPage(await signInWithProvider(received), ended)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const fields = { ...error.options.fields, 'Set-Cookie': ended }
    throw refuse(error.type, { ...error.options, fields })
  }
}

/** 303 with a session, or to the second step of an account with a second factor. */
async function signInWithProvider(received: DocumentRequest): Promise<HttpResponse> {
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
  const arrival = { provider, identity, signedInTo: flow.account, requestId: request.id }
  const account = await requireProviderAccount(service, arrival)
  return respondToFirstFactor(service, request, { account, provider: provider.name }, flow.next)
}

/** The redirect as a page, with its cookies. */
function toPage({ fields: redirect }: HttpResponse, ended: string): HttpResponse {
  const cookies = [redirect['Set-Cookie'] ?? [], ended].flat()
  return redirectPage(String(redirect.Location), 'You are signed in', { 'Set-Cookie': cookies })
}
