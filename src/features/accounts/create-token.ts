/** POST /tokens: creates an API token. Unlike other resources, its secret is generated and shown only once. */

import { callerRefusal, insufficientScope } from '../../access/access-refusal.ts'
import {
  createApiToken,
  defaultTokenLifetime,
  type NewToken,
  requireRoomForToken,
} from '../../access/account-tokens.ts'
import { basisOf } from '../../access/credential-basis.ts'
import { hasSecondFactor } from '../../access/credentials.ts'
import type { Account } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { areScopesWithin } from '../../access/scopes.ts'
import type { FieldModel } from '../../definition/model.ts'
import { allScopes } from '../../definition/tokens-resource.ts'
import { invalidContent, refuse } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { accountsOf } from '../../requests/context/service-context.ts'
import type { CollectionTarget } from '../../requests/context/target.ts'
import { type ContentMembers, draftCreation, membersOf } from '../../requests/write/draft-from-content.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import { viewWithSecrets } from '../../requests/write/shown-secret.ts'
import { isAlwaysTrue } from '../../store/condition.ts'
import { itemUri } from '../../views/uri.ts'

/** 201 with the secret; refuses 403 and 422. */
export async function createToken(
  context: RequestContext<CollectionTarget>,
  body: unknown,
): Promise<PlannedChange> {
  const { service, caller, target } = context
  const { resource } = target
  if (caller.kind !== 'account') throw callerRefusal(caller)
  const { tokens } = accountsOf(service)
  await requireBothFactors(context, caller)
  const newToken = parseNewToken(context, caller, membersOf(body))
  await requireRoomForToken(tokens, caller, context)
  const { secret, values } = createApiToken(tokens, newToken)
  const conditionAfter = rightsOf(resource, caller).create
  return {
    writes: [{ kind: 'insert', table: resource.name, values, conditionAfter }],
    response: {
      status: 201,
      view: await viewWithSecrets(context, { secrets: { token: secret }, values }),
      links: [],
      fields: { Location: itemUri(service.model, resource, values) },
    },
  }
}

/** Refuses 403 a JWT of an account with a second factor: sessions and tokens were made with both factors. */
async function requireBothFactors({ unit }: RequestContext, { credential, identity }: Account) {
  if (credential.kind !== 'jwt' || !(await hasSecondFactor(unit.model, unit.store, identity))) return
  const detail = 'Your account has a second factor. Sign in on the HTML pages to create a token.'
  throw refuse('forbidden', { detail })
}

function parseNewToken(
  { service, target, caller }: RequestContext<CollectionTarget>,
  owner: Account,
  sent: ContentMembers,
) {
  const { resource } = target
  const sender = { resource, rights: rightsOf(resource, caller), isTrue: isAlwaysTrue }
  const { values, faults } = draftCreation(sender, sent)
  const field = (name: string) => values.get(resource.fieldByName.get(name) as FieldModel)
  const scopes = (sent.scopes === undefined ? ownScopes(owner) : field('scopes')) as string[]
  if (faults.length > 0) throw invalidContent(faults)
  const newToken: NewToken = {
    owner,
    name: field('name') as string | undefined,
    scopes,
    madeWith: basisOf(owner),
    expiresAt: expiryOf(owner, service.clock.now(), field('expiresIn') as number | undefined),
  }
  requireFewerRights(owner, newToken)
  return newToken
}

function ownScopes({ credential }: Account): readonly string[] {
  return credential.kind === 'token' ? [...credential.scopes] : allScopes
}

/** The default is not later than the expiry of the token that the caller uses. */
function expiryOf({ credential }: Account, now: number, expiresIn: number | undefined): number {
  if (expiresIn !== undefined) return now + expiresIn * 1000
  const byDefault = now + defaultTokenLifetime * 1000
  if (credential.kind === 'password') return byDefault
  return Math.min(byDefault, Date.parse(credential.expiresAt))
}

/** Refuses 403 when the new token would have more scopes or a later expiry than the token that the caller uses. */
function requireFewerRights({ credential }: Account, newToken: NewToken): void {
  if (credential.kind === 'password') return
  if (credential.kind === 'token') {
    const beyond = newToken.scopes.find((scope) => !areScopesWithin(new Set([scope]), credential.scopes))
    if (beyond !== undefined) throw insufficientScope(beyond)
  }
  if (newToken.expiresAt <= Date.parse(credential.expiresAt)) return
  const detail = `The new token must expire by ${credential.expiresAt}, when the token you use expires.`
  throw refuse('forbidden', { detail })
}
