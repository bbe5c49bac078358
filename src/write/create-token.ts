/** POST /tokens: the one resource that is made by a program of its own, since it holds a secret. */

import {
  createApiToken,
  defaultTokenLifetime,
  makeRoomForToken,
  maxTokensPerAccount,
  type NewToken,
} from '../access/api-token.ts'
import { insufficientScope, refuseCaller } from '../access/authorize.ts'
import type { Account } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import { areScopesWithin } from '../access/scopes.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import type { FieldModel } from '../definition/model.ts'
import { allScopes } from '../definition/tokens-resource.ts'
import { withPageChrome } from '../html-pages/page-chrome.ts'
import { invalidContent, refuse } from '../refusal.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { always } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { createFieldSelector } from '../view/shape.ts'
import { itemUri } from '../view/uri.ts'
import { type ContentMembers, draftCreation, membersOf } from './record-draft.ts'
import { submitWrites } from './submit-write.ts'

/** 201 with the secret, which is shown this once; whoever made it may do so even unseen. */
export async function createToken(
  context: RequestContext<CollectionTarget>,
  body: unknown,
): Promise<ViewResponse> {
  const { service, caller, target } = context
  const { resource } = target
  const { tokens } = service
  // Only accounts have the right to make any.
  if (!tokens || caller.kind !== 'account') throw refuseCaller(caller)
  const wanted = parseNewToken(context, caller, membersOf(body))
  if (!(await makeRoomForToken(tokens, caller))) {
    const detail = `An account has at most ${maxTokensPerAccount} tokens. Delete some of them first.`
    throw refuse('forbidden', { detail })
  }
  const { secret, values } = createApiToken(tokens, wanted)
  const write = { kind: 'insert', table: resource.name, values } as const
  const row = await service.store.previewRow(resource.name, values, [])
  return submitWrites(context, [{ ...write, result: rightsOf(resource, caller).create }], {
    status: 201,
    view: await withPageChrome(context, {
      kind: 'item',
      row: withSecret(context, row, secret),
      shape: shapeWithToken(context),
    }),
    links: [],
    fields: { Location: itemUri(service.model, resource, values) },
  })
}

function parseNewToken(
  { service, target, caller }: RequestContext<CollectionTarget>,
  owner: Account,
  sent: ContentMembers,
) {
  const { resource } = target
  const sender = { resource, rights: rightsOf(resource, caller), holds: isCertain }
  const { values, faults } = draftCreation(sender, sent)
  const field = (name: string) => values.get(resource.field.get(name) as FieldModel)
  const scopes = (sent.scopes === undefined ? ownScopes(owner) : field('scopes')) as string[]
  if (faults.length > 0) throw invalidContent(faults)
  const wanted: NewToken = {
    owner,
    name: field('name') as string | undefined,
    scopes,
    expiresAt: expiryOf(owner, service.clock.now(), field('expiresIn') as number | undefined),
  }
  requireFewerRights(owner, wanted)
  return wanted
}

function isCertain({ kind }: { readonly kind: string }): boolean {
  return kind === 'always'
}

function ownScopes({ credential }: Account): readonly string[] {
  return credential.kind === 'token' ? [...credential.scopes] : allScopes
}

/** Not past the end of the token it is made with, unless its maker asks for that outright. */
function expiryOf({ credential }: Account, now: number, expiresIn: number | undefined): number {
  if (expiresIn !== undefined) return now + expiresIn * 1000
  const usual = now + defaultTokenLifetime * 1000
  if (credential.kind === 'password') return usual
  return Math.min(usual, Date.parse(credential.expiresAt))
}

/** A token that could make a stronger one would itself be as strong. */
function requireFewerRights({ credential }: Account, wanted: NewToken): void {
  if (credential.kind === 'password') return
  if (credential.kind === 'token') {
    const beyond = wanted.scopes.find(
      (scope) => !areScopesWithin(new Set([scope]), credential.scopes),
    )
    if (beyond !== undefined) throw insufficientScope(beyond)
  }
  if (wanted.expiresAt <= Date.parse(credential.expiresAt)) return
  const detail = `A token made with a token ends no later than that one, ${credential.expiresAt}.`
  throw refuse('forbidden', { detail })
}

/** The column keeps a digest; here, and nowhere else, stands what it was made from. */
function withSecret({ target }: RequestContext<CollectionTarget>, row: Row, secret: string): Row {
  return row.with((target.resource.field.get('token') as FieldModel).index, secret)
}

function shapeWithToken({ target, caller }: RequestContext<CollectionTarget>) {
  const rights = rightsOf(target.resource, caller)
  const token = target.resource.field.get('token') as FieldModel
  const visibility = new Map(rights.visibility).set(token, always)
  return createFieldSelector({ ...rights, visibility: visibility }).shapeOf(isCertain)
}
