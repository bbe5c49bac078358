/** POST /tokens: the one resource that is made by a program of its own, since it holds a secret. */

import { beyondScope, denial } from '../access/authorize.ts'
import type { Account } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import { isWithin } from '../access/scopes.ts'
import { hasRoom, makeToken, mostTokens, type NewToken, usualLifetime } from '../access/token.ts'
import type { FieldModel } from '../declare/model.ts'
import { allScopes } from '../declare/tokens.ts'
import { refuse } from '../refusal.ts'
import { always } from '../store/condition.ts'
import type { Row } from '../store/store.ts'
import { lensOf } from '../view/shape.ts'
import { itemUri } from '../view/uri.ts'
import type { Answer } from './answer.ts'
import type { Errand } from './errand.ts'
import { draftCreation, invalid, type Members, membersOf } from './input.ts'
import { framed } from './pages/frame.ts'
import { submit } from './submission.ts'
import type { CollectionTarget } from './target.ts'

/** 201 with the secret, which is shown this once; whoever made it may do so even unseen. */
export async function createToken(
  errand: Errand<CollectionTarget>,
  body: unknown,
): Promise<Answer> {
  const { context, who, target } = errand
  const { resource } = target
  const { tokens } = context
  // Only accounts have the right to make any.
  if (!tokens || who.kind !== 'account') throw denial(who)
  const wanted = newToken(errand, who, membersOf(body))
  if (!(await hasRoom(tokens, who))) {
    const detail = `An account has at most ${mostTokens} tokens. Delete some of them first.`
    throw refuse('forbidden', { detail })
  }
  const { secret, values } = makeToken(tokens, wanted)
  const write = { kind: 'insert', table: resource.name, values } as const
  const row = await context.store.wouldShow(resource.name, values, [])
  return submit(errand, [{ ...write, result: rightsOf(resource, who).create }], {
    status: 201,
    view: await framed(errand, {
      kind: 'item',
      row: shownOnce(errand, row, secret),
      shape: shapeWithToken(errand),
    }),
    links: [],
    fields: { Location: itemUri(context.model, resource, values) },
  })
}

function newToken(
  { context, target, who }: Errand<CollectionTarget>,
  owner: Account,
  sent: Members,
) {
  const { resource } = target
  const sender = { resource, rights: rightsOf(resource, who), holds: isCertain }
  const { values, faults } = draftCreation(sender, sent)
  const field = (name: string) => values.get(resource.field.get(name) as FieldModel)
  const scopes = (sent.scopes === undefined ? ownScopes(owner) : field('scopes')) as string[]
  if (faults.length > 0) throw invalid(faults)
  const wanted: NewToken = {
    owner,
    name: field('name') as string | undefined,
    scopes,
    expiresAt: expiryOf(owner, context.clock.now(), field('expiresIn') as number | undefined),
  }
  allowFewerRights(owner, wanted)
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
  const usual = now + usualLifetime * 1000
  if (credential.kind === 'password') return usual
  return Math.min(usual, Date.parse(credential.expiresAt))
}

/** A token that could make a stronger one would itself be as strong. */
function allowFewerRights({ credential }: Account, wanted: NewToken): void {
  if (credential.kind === 'password') return
  if (credential.kind === 'token') {
    const beyond = wanted.scopes.find((scope) => !isWithin(new Set([scope]), credential.scopes))
    if (beyond !== undefined) throw beyondScope(beyond)
  }
  if (wanted.expiresAt <= Date.parse(credential.expiresAt)) return
  const detail = `A token made with a token ends no later than that one, ${credential.expiresAt}.`
  throw refuse('forbidden', { detail })
}

/** The column keeps a digest; here, and nowhere else, stands what it was made from. */
function shownOnce({ target }: Errand<CollectionTarget>, row: Row, secret: string): Row {
  return row.with((target.resource.field.get('token') as FieldModel).at, secret)
}

function shapeWithToken({ target, who }: Errand<CollectionTarget>) {
  const rights = rightsOf(target.resource, who)
  const token = target.resource.field.get('token') as FieldModel
  const sight = new Map(rights.sight).set(token, always)
  return lensOf({ ...rights, sight }).shapeOf(isCertain)
}
