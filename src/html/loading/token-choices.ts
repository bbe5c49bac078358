/** The choices for a new token on HTML pages. */

import { defaultTokenLifetime } from '../../access/account-tokens.ts'
import { isSession, type Principal } from '../../access/principal.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { maxTokenLifetime } from '../../definition/tokens-resource.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { PageLayout } from './page-layout.ts'

const day = 86_400
const lifetimes: readonly number[] = [day, 7 * day, 30 * day, defaultTokenLifetime, maxTokenLifetime]

/** In seconds: the time that a person may take to fill in the form. */
const margin = 3600

/** The part of the layout for pages of tokens; empty for other pages. */
export function tokenChoicesOf(
  { model, clock }: Pick<ServiceContext, 'model' | 'clock'>,
  caller: Principal,
  resource: ResourceModel | undefined,
): Pick<PageLayout, 'tokenChoices'> {
  if (!resource || resource !== model.tokens || caller.kind !== 'account') return {}
  const { credential } = caller
  if (credential.kind === 'password') {
    return { tokenChoices: { own: undefined, lifetimes, defaultLifetime: defaultTokenLifetime } }
  }
  // A new token expires no later than the one that the caller uses.
  const left = (Date.parse(credential.expiresAt) - clock.now()) / 1000
  const own = credential.kind === 'token' && isSession(caller) ? credential.identity : undefined
  const possible = lifetimes.filter((lifetime) => lifetime + margin <= left)
  const byDefault =
    left < defaultTokenLifetime
      ? { expiresAt: credential.expiresAt }
      : { defaultLifetime: defaultTokenLifetime }
  return { tokenChoices: { own, lifetimes: possible, ...byDefault } }
}
