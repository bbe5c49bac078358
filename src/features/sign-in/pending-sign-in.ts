/**
 * The state between both steps of signing in: a cookie names the account whose password was right.
 */

import { findAccount } from '../../access/basic-scheme.ts'
import type { Account } from '../../access/principal.ts'
import { sealedCookie } from '../../access/sealed-cookie.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { LeadingForm } from '../../requests/context/target.ts'
import type { Row } from '../../store/row.ts'
import type { RequireRow } from '../../store/write.ts'
import { secondFactorUri } from '../../views/uri.ts'

/** The first step, as the cookie has it. */
interface PendingSignIn {
  readonly account: string
  /** Digest of the password that was right: the step ends when the password changes. */
  readonly passwordMark: string
  readonly provider?: ProviderProof | undefined
  /** Milliseconds since 1970 UTC. */
  readonly until: number
}

/** In seconds: how long a person has to enter the second factor. */
const lifetime = 600

export const secondStep = sealedCookie<PendingSignIn>({ name: 'second-step', lifetime })

/** An account whose password was right, or whose provider has proved it. */
export interface FirstFactor {
  readonly account: Account
  /** Undefined: the password or a passkey was right. */
  readonly provider?: ProviderProof | undefined
  /** Holds as long as the proof does; checked when the session begins. */
  readonly guard?: RequireRow | undefined
}

/** A provider that has proved the person. */
export interface ProviderProof {
  readonly name: string
  /** When it asked the person, in milliseconds; undefined where it does not say. */
  readonly authenticatedAt: number | undefined
}

/** Leads to the second step. */
export function beginSecondStep(
  { model, encryption, clock }: ServiceContext,
  { client }: HttpRequest,
  { account, provider }: FirstFactor,
  next: string,
): LeadingForm {
  const until = clock.now() + lifetime * 1000
  const { identity, passwordMark } = account
  const step: PendingSignIn = { account: identity, passwordMark, provider, until }
  const cookie = secondStep.format(client, encryption, step)
  const uri = `${secondFactorUri(model)}?next=${encodeURIComponent(next)}`
  return { next: uri, fields: { 'Set-Cookie': cookie } }
}

/** An account that has proved its first factor, with its row. */
export interface ProvenAccount extends FirstFactor {
  readonly row: Row
}

/** The account of the first step; undefined without a valid cookie, for a page of another site, and after a change of the password. */
export async function findPendingSignIn(
  service: ServiceContext,
  request: HttpRequest,
): Promise<ProvenAccount | undefined> {
  const { model, store, clock, encryption } = service
  const site = request.fields['sec-fetch-site']
  const isOwn = site === 'same-origin' || site === 'none'
  const step = isOwn ? secondStep.find(request, encryption) : undefined
  if (!step || step.until <= clock.now() || !model.accounts) return undefined
  const found = await findAccount(model.accounts, store, step.account)
  if (found?.account.passwordMark !== step.passwordMark) return undefined
  return { ...found, provider: step.provider }
}
