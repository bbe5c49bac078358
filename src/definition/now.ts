/** `now`: the moment of the request, in `sets` of a transition. */

export interface Now {
  readonly kind: 'now'
}

/**
 * The time of the request, for the `sets` of a transition.
 * @example
 * const status = state({
 *   initial: 'draft',
 *   transitions: { publish: { from: 'draft', to: 'published', sets: { publishedAt: now } } },
 * })
 */
export const now: Now = Object.freeze({ kind: 'now' })

export function isNow(value: unknown): value is Now {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'now'
}
