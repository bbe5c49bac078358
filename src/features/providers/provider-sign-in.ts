/**
 * /sign-in/{name} sends the browser to a provider, /sign-in/{name}/callback takes it back: after a GET the person signs in,
 * after a POST its account is linked. The state between them is in an encrypted cookie. The callback responds with a page
 * that redirects: a 303 would still be a navigation from the provider, with which browsers do not send the session cookie.
 */

import { callerRefusal } from '../../access/access-refusal.ts'
import { type Account, mayChangeCredentials, type Principal } from '../../access/principal.ts'
import { currentPassword } from '../../definition/current-password.ts'
import { createInputModel } from '../../definition/input-model.ts'
import type { Model } from '../../definition/model.ts'
import { redirectPage } from '../../html/redirect-page.ts'
import type { HttpResponse } from '../../http/message.ts'
import { serviceOrigin } from '../../http/origin.ts'
import { Refusal, refuse } from '../../refusal.ts'
import { partOf } from '../../requests/context/service-part.ts'
import type {
  Document,
  DocumentForm,
  DocumentRequest,
  FormSubmission,
  LeadingForm,
} from '../../requests/context/target.ts'
import { requireOwnProof } from '../../requests/documents/posted-password.ts'
import { EarlyResponse, seeOther } from '../../requests/respond/early-response.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { formAction } from '../../views/form-action.ts'
import { signInUri } from '../../views/uri.ts'
import { providerUri } from '../sign-in/provider-uri.ts'
import { finishFirstFactor, ownCredentialsUri } from '../sign-in/session.ts'
import { nextOf, requireEncryption, requireOwnSender } from '../sign-in/sign-in.ts'
import type { ProviderClient } from './code-flow.ts'
import { linkProvider, requireProviderAccount } from './provider-account.ts'
import { providerClients } from './provider-clients.ts'
import { type ProviderModel, providerModels } from './provider-model.ts'
import {
  findFlow,
  flowLifetime,
  formatExpiredFlowCookie,
  formatFlowCookie,
  type SignInFlow,
} from './sign-in-flow.ts'

const linkForm: DocumentForm = {
  title: 'Link a provider',
  status: 204,
  input: memoizeByObject((_model: Model) => createInputModel('link', [currentPassword])),
  submit: beginLink,
}

export const providerSignIn: Document = {
  route: '/sign-in/{name}',
  name: 'provider-sign-in',
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  form: linkForm,
  load: ({ service: { model }, target: { parameter = '' } }) => ({
    data: { title: 'Link a provider' },
    hypermedia: { links: [], actions: [formAction(model, linkForm, providerUri(model, parameter))] },
  }),
  async respond(received) {
    requireEncryption(received.request)
    if (received.request.method !== 'POST') return beginSignIn(received)
    requireOwnSender(received.request)
    return undefined
  },
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
  const model = providerModels.of(all).find(({ name }) => name === target.parameter)
  const client = partOf(service, providerClients).get(target.parameter ?? '')
  if (!model || !client) throw refuse('not-found', { detail: 'There is no such provider to sign in with.' })
  const root = publicUrl ?? serviceOrigin(request) + all.base
  return { model, client, callback: `${root}${providerUri({ base: '' }, model.name)}/callback` }
}

/** 303 to the provider. */
async function beginSignIn(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request } = received
  const begun = await begin(received, { next: nextOf(service.model, request) })
  return seeOther(begun.uri, { 'Set-Cookie': begun.cookie }).response
}

/**
 * Ends with 200 and a page that leads to the provider: a form may not be redirected to another site. Refuses what a change
 * of the own password is refused for.
 */
async function beginLink(sent: FormSubmission): Promise<never> {
  const { service, caller, members } = sent
  const account = requireOwner(caller)
  await requireOwnProof(sent, account, members.currentPassword)
  const { identity, passwordMark, credential } = account
  const session = credential.kind === 'token' ? credential.identity : undefined
  const { uri, cookie } = await begin(sent, {
    next: await ownCredentialsUri(service, account),
    link: { account: identity, passwordMark, session },
  })
  throw new EarlyResponse(redirectPage(uri, 'Link a provider', { 'Set-Cookie': cookie }))
}

/** The account that may change its credentials; refuses 401 and 403. */
function requireOwner(caller: Principal): Account {
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

/** Leads on: with a session, to the second step of an account with a second factor, or to the credentials with the new one. */
async function arrive(received: DocumentRequest): Promise<LeadingForm> {
  const { service, request, target } = received
  requireEncryption(request)
  const { model: provider, client, callback } = requireProvider(received)
  const flow = findFlow(received)
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
    return { next: flow.next }
  }
  const account = await requireProviderAccount(service, arrival)
  const proof = { name: provider.name, authenticatedAt: identity.authenticatedAt }
  return finishFirstFactor(service, request, { account, provider: proof }, flow.next)
}

/** The redirect as a page, with its cookies. */
function toPage({ next, fields = {} }: LeadingForm, ended: string): HttpResponse {
  const cookies = [fields['Set-Cookie'] ?? [], ended].flat()
  return redirectPage(next, 'Continue', { 'Set-Cookie': cookies })
}
