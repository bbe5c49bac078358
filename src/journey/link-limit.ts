/**
 * How long a URI may be that a response repeats in its header section. A list links its own URI
 * several times, and clients and proxies refuse a header section of some 8 to 16 kB.
 */

import type { Link } from '../http/link.ts'

/** In octets. Beyond it a client has to make the URI itself, from the one it asked. */
const longestRepeated = 1024

/** By relation: what a client cannot make itself, a cursor being in it. */
const longestByRelation: ReadonlyMap<string, number> = new Map([
  ['next', Number.POSITIVE_INFINITY],
  ['prev', 4096],
])

/** Whether a link goes into the header section; bodies have all links. */
export function isWithinLinkLimit({ target, rel }: Pick<Link, 'target' | 'rel'>): boolean {
  return target.length <= longestRepeated || target.length <= (longestByRelation.get(rel) ?? 0)
}
