/**
 * /sign-in/passkey: GET is the options for a passkey, which the script of the page uses; POST signs in with it, instead of
 * the password or after it.
 */

import { findAccount } from '../../../access/basic-scheme.ts'
import { isConfirmed, kindOf, listCredentials } from '../../../access/credentials.ts'
import { parseFormPairs } from '../../../formats/form-reader.ts'
import type { HttpRequest, HttpResponse } from '../../../http/message.ts'
import { serviceOrigin } from '../../../http/origin.ts'
import { refuse } from '../../../refusal.ts'
import { accountsOf, type ServiceContext } from '../../../requests/context/service-context.ts'
import type { Document, DocumentRequest } from '../../../requests/context/target.ts'
import { seeOther } from '../../../requests/respond/early-response.ts'
import { readField } from '../../../store/row-fields.ts'
import { findPendingSignIn, type ProvenAccount } from '../../sign-in/pending-sign-in.ts'
import { writeSession } from '../../sign-in/session.ts'
import { nextOf, requireAccounts, requireEncryption, requireOwnSender } from '../../sign-in/sign-in.ts'
import { type CompleteSignIn, signInCookies } from '../known-browser.ts'
import {
  findPasskey,
  findPasskeyWrite,
  parsePasskeyResponse,
  passkeyRequestOptions,
  type RelyingParty,
  relyingPartyAt,
} from './passkey.ts'

const maxFormOctets = 16_384

export const passkey: Document = {
  route: '/sign-in/passkey',
  name: 'passkey',
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  parameters: ['next'],
  async respond(received) {
    requireAccounts(received.service.model)
    requireEncryption(received.request)
    return received.request.method === 'POST' ? respondToPasskey(received) : respondWithOptions(received)
  },
}

async function respondWithOptions({ service, request }: DocumentRequest): Promise<HttpResponse> {
  const { credentials } = accountsOf(service)
  const first = await findPendingSignIn(service, request)
  const rows = first ? await listCredentials(credentials, first.account.identity) : []
  const { resource } = credentials
  const keys = rows.filter((row) => kindOf(resource, row) === 'passkey' && isConfirmed(resource, row))
  const ids = keys.map((row) => String(readField(resource, row, 'keyId')))
  const options = passkeyRequestOptions(credentials, relyingPartyOf(service, request), ids)
  const fields = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  return { status: 200, fields, body: JSON.stringify(options) }
}

function relyingPartyOf({ model, publicUrl }: ServiceContext, request: HttpRequest): RelyingParty {
  return relyingPartyAt(model.title, publicUrl, serviceOrigin(request))
}

async function respondToPasskey({ service, request }: DocumentRequest): Promise<HttpResponse> {
  requireOwnSender(request)
  const values = new Map(parseFormPairs(await request.content.read(maxFormOctets)))
  const first = await findPendingSignIn(service, request)
  const signedIn = await provePasskey(service, request, first, parsePasskeyResponse(values.get('response')))
  if (!signedIn) throw refuse('unauthenticated', { detail: 'This passkey was not accepted.' })
  const { response } = seeOther(nextOf(service.model, request))
  const cookies = signInCookies(service, request, signedIn)
  return { ...response, fields: { ...response.fields, 'Set-Cookie': cookies } }
}

/** The new session; undefined where the passkey is refused, which counts as a failed password. */
async function provePasskey(
  service: ServiceContext,
  request: HttpRequest,
  first: ProvenAccount | undefined,
  response: unknown,
): Promise<CompleteSignIn | undefined> {
  const owner = await findOwner(service, response)
  // After the password, the passkey must be one of the same account.
  const isOther = first !== undefined && first.account.identity !== owner?.account.identity
  const login = owner ? String(owner.row[requireAccounts(service.model).login.index]) : ''
  const { signInAttempts, recordFailure } = accountsOf(service)
  const token = await signInAttempts.guard(login, request.client.address, async () => {
    if (!owner || isOther) return undefined
    return usePasskey(service, request, first ?? owner, { response, isOnlyFactor: !first })
  })
  if (owner && token !== undefined) return { account: owner.account, token }
  recordFailure(login, owner?.row)
  return undefined
}

/** The account of the passkey; undefined where there is none, or it is disabled. */
async function findOwner(service: ServiceContext, response: unknown): Promise<ProvenAccount | undefined> {
  const { model, store } = service
  const { credentials } = accountsOf(service)
  const key = await findPasskey(credentials, response)
  if (!key || !model.accounts) return undefined
  return findAccount(model.accounts, store, String(readField(credentials.resource, key, 'account')))
}

interface SentResponse {
  readonly response: unknown
  readonly isOnlyFactor: boolean
}

async function usePasskey(
  service: ServiceContext,
  request: HttpRequest,
  proven: ProvenAccount,
  sent: SentResponse,
): Promise<string | undefined> {
  const { credentials } = accountsOf(service)
  const row = await findPasskey(credentials, sent.response)
  if (!row) return undefined
  const use = findPasskeyWrite(credentials, relyingPartyOf(service, request), { ...sent, row })
  if (!use) return undefined
  // A concurrent use of the same passkey makes the write stale: only one of them counts.
  const { secret, written } = await writeSession(service, request, proven, [use])
  return written.kind === 'done' ? secret : undefined
}
