/** /sign-in/second-factor: the second step of signing in to an account with a second factor. */

import {
  type CodeSource,
  countWrongCode,
  requireCodesLeft,
  stillCodesLeft,
} from '../../access/code-attempts.ts'
import { findCodeWrite } from '../../access/credentials.ts'
import { createInputModel } from '../../definition/input-model.ts'
import type { Model } from '../../definition/model.ts'
import { codeField } from '../../definition/sign-in-fields.ts'
import type { HttpRequest } from '../../http/message.ts'
import { refuse } from '../../refusal.ts'
import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import {
  type Document,
  type DocumentForm,
  type FormSubmission,
  type SubmittedForm,
  uriWithoutFormat,
} from '../../requests/context/target.ts'
import { seeOther } from '../../requests/respond/early-response.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { formAction } from '../../views/form-action.ts'
import { signInUri } from '../../views/uri.ts'
import { findPendingSignIn, type ProvenAccount, secondStep } from '../sign-in/pending-sign-in.ts'
import { writeSession } from '../sign-in/session.ts'
import { nextOf, requireAccounts, requireEncryption, requireOwnSender } from '../sign-in/sign-in.ts'
import { findKnownBrowser, signInCookies } from './known-browser.ts'
import { ownerNotice } from './owner-notice.ts'

const codeForm: DocumentForm = {
  title: 'Sign in',
  status: 303,
  authenticates: false,
  autocomplete: { code: 'one-time-code' },
  input: memoizeByObject((_model: Model) => createInputModel('second-factor', [codeField])),
  submit: proveSecondFactor,
}

export const secondFactor: Document = {
  route: '/sign-in/second-factor',
  name: 'second-factor',
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  parameters: ['next'],
  form: codeForm,
  load: ({ service: { model }, target }) => ({
    data: { title: 'Second factor' },
    hypermedia: { links: [], actions: [formAction(model, codeForm, uriWithoutFormat(target))] },
  }),
  async respond({ service, request }) {
    requireAccounts(service.model)
    requireEncryption(request)
    if (request.method === 'POST') requireOwnSender(request)
    // Without the first step there is nothing to enter.
    const first = await findPendingSignIn(service, request)
    return first ? undefined : seeOther(signInUri(service.model)).response
  },
}

async function proveSecondFactor({ service, request, members }: FormSubmission): Promise<SubmittedForm> {
  const { model, encryption } = service
  const first = await findPendingSignIn(service, request)
  if (!first) return { next: signInUri(model) }
  const browser = findKnownBrowser(request, encryption, first.account)
  const source: CodeSource = { account: first.account.identity, browser }
  const token = await proveCode(service, request, first, { code: String(members.code), source })
  if (token === undefined) throw await wrongCode(service, request, source)
  const cookies = signInCookies(service, request, { account: first.account, token })
  return { next: nextOf(model, request), fields: { 'Set-Cookie': cookies } }
}

/** The refusal of a wrong code, once it is counted. The last one that is accepted ends the second step. */
async function wrongCode(service: ServiceContext, { client }: HttpRequest, source: CodeSource) {
  const notice = () => ownerNotice(service, 'codesRefused', source.account)
  const isLast = await countWrongCode(service, source, notice)
  if (isLast) service.changes.wake()
  const fields = isLast ? { 'Set-Cookie': secondStep.formatExpired(client) } : {}
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
  const { signInAttempts, recordFailure } = accountsOf(service)
  const use = () => useCode(service, request, proven, sent)
  const token = await signInAttempts.guard(login, request.client.address, use)
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
