/** Walks through the offered actions and compares them with the permitted ones. */

import assert from 'node:assert/strict'
import type { BlindClient, Offer, Territory } from './client.ts'
import type { Permitted } from './oracle.ts'

export interface Walk {
  readonly steps: number
  readonly random: () => number
  /** Items that must not be deleted or changed on the way. */
  readonly spare: (uri: string) => boolean
}

export interface Outcome {
  /** Offers that were answered with a refusal. */
  readonly refused: readonly string[]
  readonly broken: readonly string[]
  readonly taken: number
}

/** At each step it looks around, takes one of the offers, and looks at what it is told. */
export async function walk(client: BlindClient, { steps, random, spare }: Walk): Promise<Outcome> {
  const refused: string[] = []
  const broken: string[] = []
  const tried = new Map<string, number>()
  let taken = 0
  for (let step = 0; step < steps; step += 1) {
    const territory = await client.explore()
    broken.push(...territory.broken)
    const offer = rarest(
      territory.offers.filter(({ at }) => !spare(at) && !isCredential(at)),
      tried,
      random,
    )
    if (!offer) break
    tried.set(kindOf(offer), (tried.get(kindOf(offer)) ?? 0) + 1)
    const result = await client.take(offer)
    if (!result) continue
    taken += 1
    const { status, text } = result.reply
    // A delivery does not show whether its webhook is still active.
    const isOfInactive = status === 409 && isDelivery(offer.at)
    if (status >= 300 && !isOfInactive) {
      const { method, target } = offer.template
      refused.push(`${offer.name}: ${method} ${target} ${JSON.stringify(result.sent)} ${text}`)
    }
  }
  return { refused, broken, taken }
}

/** Deleting comes last, so that there is something to walk through. */
function rarest(offers: readonly Offer[], tried: ReadonlyMap<string, number>, random: () => number) {
  const weight = (offer: Offer) => {
    const deletes = offer.template.method === 'DELETE' ? 4 : 1
    return ((tried.get(kindOf(offer)) ?? 0) + random()) * deletes
  }
  return offers.map((offer) => ({ offer, order: weight(offer) })).toSorted((a, b) => a.order - b.order)[0]
    ?.offer
}

function kindOf({ at, name }: Offer): string {
  return `${at.split('/')[1]} ${name}`
}

/** Everything permitted is found, and nothing else is offered. */
export function compare(territory: Territory, permitted: Permitted): void {
  assert.deepEqual(territory.broken, [])
  const reached = [...territory.pages.keys()].map((uri) => uri.split('?')[0] as string)
  const own = reached.filter((uri) =>
    /^\/(?:problems|\.well-known|status|docs|events|audit|batch)?(?:\/|$)/.test(uri),
  )
  const found = new Set(reached.filter((uri) => !own.includes(uri) && !isDelivery(uri) && !isCredential(uri)))
  assert.deepEqual([...found].sort(), [...permitted.collections, ...permitted.items].sort())
  const offers = territory.offers.filter(({ at }) => !isDelivery(at) && !isCredential(at))
  const offered = offers.map(({ at, name }) => `${at.split('?')[0]} ${name}`)
  assert.deepEqual([...new Set(offered)].sort(), [...permitted.actions].sort())
}

/** The deliveries of webhooks are no items of a collection; test/features/webhooks has them. */
function isDelivery(uri: string): boolean {
  return /^\/webhooks\/[^/]+\/deliveries/.test(uri)
}

/** A second factor needs a password and an authenticator, which a blind client does not have. */
function isCredential(uri: string): boolean {
  return /^\/users\/[^/]+\/credentials/.test(uri)
}

/** Numbers from 0 to 1 that a seed gives again. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    // The high bits are the better ones.
    return ((state >>> 8) + 0.5) / 2 ** 24
  }
}
