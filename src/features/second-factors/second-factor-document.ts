/** /sign-in/second-factor: the second step of signing in to an account with a second factor. */

import {
  type CodeSource,
  countWrongCode,
  requireCodesLeft,
  stillCodesLeft,
} from '../../access/code-attempts.ts'
import { findCodeWrite } from '../../access/credentials.ts'
import { formatSecondStepCookie } from '../../access/session-cookie.ts'
import { parseFormPairs } from '../../formats/form-reader.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { refuse } from '../../refusal.ts'
import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import type { Document, DocumentRequest } from '../../requests/context/target.ts'
import { seeOther } from '../../requests/respond/early-response.ts'
import { signInUri } from '../../views/uri.ts'
import { findPendingSignIn, type ProvenAccount } from '../sign-in/pending-sign-in.ts'
import { writeSession } from '../sign-in/session.ts'
import { nextOf, requireAccounts, requireEncryption, requireOwnSender } from '../sign-in/sign-in.ts'
import { findKnownBrowser, signInCookies } from './known-browser.ts'
import { ownerNotice } from './owner-notice.ts'

const maxFormOctets = 8192

export const secondFactor: Document = {
  route: '/sign-in/second-factor',
  name: 'second-factor',
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  parameters: ['next'],
  load: () => ({ data: { title: 'Second factor' } }),
  async respond(received) {
    const { service, request } = received
    requireAccounts(service.model)
    requireEncryption(request)
    if (request.method === 'POST') return respondToCode(received)
    // Without the first step there is nothing to enter.
    return (await findPendingSignIn(service, request))
      ? undefined
      : seeOther(signInUri(service.model)).response
  },
}

async function respondToCode({ service, request }: DocumentRequest): Promise<HttpResponse> {
  requireOwnSender(request)
  const values = new Map(parseFormPairs(await request.content.read(maxFormOctets)))
  const first = await findPendingSignIn(service, request)
  if (!first) return seeOther(signInUri(service.model)).response
  const browser = findKnownBrowser(request, service.encryption, first.account)
  const source: CodeSource = { account: first.account.identity, browser }
  const token = await proveCode(service, request, first, { code: values.get('code') ?? '', source })
  if (token === undefined) throw await wrongCode(service, request, source)
  const { response } = seeOther(nextOf(service.model, request))
  const cookies = signInCookies(service, request, { account: first.account, token })
  return { ...response, fields: { ...response.fields, 'Set-Cookie': cookies } }
}

/** The refusal of a wrong code, once it is counted. The last one that is accepted ends the second step. */
async function wrongCode(service: ServiceContext, { client }: HttpRequest, source: CodeSource) {
  const notice = () => ownerNotice(service, 'codesRefused', source.account)
  const isLast = await countWrongCode(service, source, notice)
  if (isLast) service.changes.wake()
  const fields = isLast ? { 'Set-Cookie': formatSecondStepCookie(client) } : {}
  return refuse('unauthenticated', { detail: 'This code is wrong, or it was used before.', fields })
}

interface SentCode {
  readonly code: string
  readonly source: CodeSource
}

/** The token of a new session; undefined for a wrong code, which counts as a failed password. */
async function proveCode(
  service: ServiceContext,
  request: HttpRequest,
  proven: ProvenAccount,
  sent: SentCode,
): Promise<string | undefined> {
  const { row } = proven
  const login = String(row[requireAccounts(service.model).login.index])
  await requireCodesLeft(service, sent.source)
  let token: string | undefined
  const { signInAttempts, recordFailure } = accountsOf(service)
  await signInAttempts.guard(login, request.client.address, async () => {
    token = await useCode(service, request, proven, sent)
    return token !== undefined
  })
  if (token === undefined) recordFailure(login, row)
  return token
}

/** Attempts when the code is used by concurrent requests. */
const maxAttempts = 5

async function useCode(
  service: ServiceContext,
  request: HttpRequest,
  proven: ProvenAccount,
  { code, source }: SentCode,
): Promise<string | undefined> {
  const { credentials } = accountsOf(service)
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const use = await findCodeWrite(credentials, proven.account.identity, code)
    if (!use) return undefined
    const guard = stillCodesLeft(service, source)
    const { secret, written } = await writeSession(service, request, proven, [guard, use])
    if (written.kind === 'done') return secret
  }
  return undefined
}
