/** Puts a frame around what is to be shown as a page: loads what the page says besides. */

import { createHmac, randomUUID } from 'node:crypto'
import type { Principal } from '../../access/principal.ts'
import type { Model } from '../../declare/model.ts'
import { edition } from '../../representations/html/assets.ts'
import type { Alternate, Frame } from '../../view/frame.ts'
import type { Action } from '../../view/hypermedia.ts'
import { isListed } from '../../view/input.ts'
import { relationOf } from '../../view/relation.ts'
import { collectionUri, itemUri } from '../../view/uri.ts'
import { viewTag } from '../../view/validator.ts'
import type { CollectionView, DocumentView, ItemView } from '../../view/view.ts'
import { bearsSecrets } from '../cacheability.ts'
import type { Errand } from '../errand.ts'
import { plainUri } from '../listing.ts'
import { inFormat, otherFormats } from '../negotiation.ts'
import { findOwnAccount } from '../own-account.ts'
import { callerScope, storedResponseName } from '../stored-response-name.ts'
import { referringTo } from './referring.ts'
import { titlesIn } from './titles.ts'

type Framed = ItemView | CollectionView | DocumentView

/** The same view, with a frame where the format is a page. */
export async function framed<V extends Framed>(errand: Errand, view: V): Promise<V> {
  if (!errand.format.framed) return view
  return { ...view, frame: await frameOf(errand, view) }
}

async function frameOf(errand: Errand, view: Framed): Promise<Frame> {
  const { context, who, method } = errand
  const uri = uriOf(errand, view)
  const frame: Frame = {
    ...surroundings(context.model, who, { origin: errand.origin, uri }),
    account: await findOwnAccount(context, who),
    alternates: alternatesOf(errand, uri),
    titles: await titlesIn(context, who, itemsIn(view)),
    referring: view.kind === 'item' ? await referringTo(context, who, view) : [],
    formKey: undefined,
    ...(view.kind === 'item' && method === 'POST' ? { made: true } : {}),
  }
  return { ...frame, formKey: await formKeyOf(errand, { ...view, frame }) }
}

/**
 * The key that makes a form sent twice count once. It is derived from the caller and the page, so
 * that a page which is unchanged has the same entity tag. Where the caller has sent a form with it
 * already, the page has a new key: the same form sent from here is meant to count again.
 */
async function formKeyOf(errand: Errand, view: Framed): Promise<string | undefined> {
  const { context, who, address, target } = errand
  const makers = view.hypermedia?.actions.filter(({ method }) => method === 'POST') ?? []
  if (makers.length === 0 || bearsSecrets(target)) return undefined
  // Anonymous callers share the page; what they send is kept for each address.
  const caller = JSON.stringify(callerScope(who, ''))
  const secret = makers.some(asksPassword) ? context.formSecret : ''
  const key = createHmac('sha256', secret)
    .update(`${caller} ${viewTag(view, 'html')}`)
    .digest('base64url')
  const now = context.clock.now()
  for (const maker of makers) {
    const scope = { who, address, method: maker.method, path: maker.target }
    if (await context.store.answer(storedResponseName(scope, key), now)) return randomUUID()
  }
  return key
}

function asksPassword({ inputs }: Action): boolean {
  return inputs.some(({ field }) => field.kind === 'password')
}

/** What a page shows whatever it is about, without a look into the store. */
export function surroundings(
  model: Model,
  who: Principal,
  { origin, uri }: Pick<Frame, 'origin' | 'uri'>,
): Frame {
  const listed = [...model.resources.values()].filter(
    (resource) => resource.own === undefined && isListed(resource, who),
  )
  return {
    model,
    who,
    edition,
    origin,
    uri,
    navigation: listed.map((resource) => ({
      target: collectionUri(model, resource),
      rel: relationOf(resource.name),
    })),
    account: undefined,
    doors: model.accounts !== undefined,
    alternates: [],
    titles: new Map(),
    referring: [],
    formKey: undefined,
  }
}

/** After a write the page is the item's, wherever the request went. */
function uriOf({ context, method, target }: Errand, view: Framed): string {
  if (view.kind !== 'item' || method === 'GET' || method === 'HEAD') return plainUri(target)
  return itemUri(context.model, view.shape.resource, view.row)
}

function alternatesOf(errand: Errand, uri: string): readonly Alternate[] {
  return otherFormats(errand).map(({ name, mediaType }) => ({
    name,
    mediaType,
    uri: inFormat(uri, name),
  }))
}

function itemsIn(view: Framed): readonly ItemView[] {
  if (view.kind === 'collection') return view.items
  return view.kind === 'item' ? [view] : []
}
