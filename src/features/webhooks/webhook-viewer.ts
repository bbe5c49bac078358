/** The rights of the owner of a webhook: deliveries show changes under them. */

import type { TokenContext } from '../../access/account-tokens.ts'
import { findBasisAccount } from '../../access/credential-basis.ts'
import type { Account } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { columnCount, type Model, type ResourceModel } from '../../definition/model.ts'
import { createViewer, type Viewer } from '../../requests/events/viewer.ts'
import type { Store } from '../../store/store.ts'
import { collectionOf, type Webhook } from './webhook.ts'

export interface ViewerContext {
  readonly model: Model
  readonly store: Store
  readonly webhooks: ResourceModel
  readonly tokens: TokenContext
}

/**
 * The viewer; undefined where nothing may be sent: the basis of the webhook has ended, or its owner may no longer have
 * webhooks.
 */
export async function findWebhookViewer(
  context: ViewerContext,
  webhook: Webhook,
): Promise<Viewer | undefined> {
  const found = await findOwner(context, webhook)
  if (!found) return undefined
  const { model, store, webhooks } = context
  const known = viewersOf(context).get(webhook.identity)
  const viewer =
    known?.state === found.state ? known.viewer : createWebhookViewer(model, webhook, found.owner)
  // The account may have been changed so that the rules differ for the same webhook.
  const values = webhook.row.slice(0, columnCount(webhooks))
  const { update } = rightsOf(webhooks, viewer.caller)
  if (!(await store.satisfies(webhooks.name, values, update))) return undefined
  remember(context, webhook.identity, { state: found.state, viewer })
  return viewer
}

interface FoundOwner {
  readonly owner: Account
  /** Changes with everything that the rights depend on: a token keeps its scopes. */
  readonly state: string
}

async function findOwner(
  { tokens }: ViewerContext,
  { owner, token, version }: Webhook,
): Promise<FoundOwner | undefined> {
  const account = await findBasisAccount(tokens, owner, token)
  return account && { owner: account, state: JSON.stringify([version, [...account.roles].sort()]) }
}

function createWebhookViewer({ resources }: Model, { patterns }: Webhook, owner: Account): Viewer {
  const names = new Set([...patterns].map(collectionOf))
  return createViewer(
    owner,
    [...names].flatMap((name) => {
      const resource = resources.get(name)
      return resource ? [{ resource }] : []
    }),
  )
}

interface KnownViewer {
  readonly state: string
  readonly viewer: Viewer
}

/** Rights are translated once for each version of a webhook and the roles of its owner. */
const known = new WeakMap<ResourceModel, Map<string, KnownViewer>>()
const maxKnownViewers = 1000

function viewersOf({ webhooks }: ViewerContext): Map<string, KnownViewer> {
  const viewers = known.get(webhooks) ?? new Map()
  known.set(webhooks, viewers)
  return viewers
}

function remember(context: ViewerContext, identity: string, viewer: KnownViewer): void {
  const viewers = viewersOf(context)
  if (viewers.size >= maxKnownViewers) viewers.clear()
  viewers.set(identity, viewer)
}
