/**
 * The rate of requests (CONTRACT 10): a bucket for each caller that fills at an even pace, and what
 * it says of itself in RateLimit and RateLimit-Policy.
 */

import type { ResponseFields } from '../http/message.ts'
import { formatItem } from '../http/structured-field.ts'
import { refuse } from '../refusal.ts'

export interface RateLimiter {
  /** Takes one from the caller's bucket; refuses 429 where it is empty. */
  take(caller: string): ResponseFields
  /** Takes from the bucket what the caller was given elsewhere, as far as there is something. */
  spend(caller: string, count: number): void
}

/** In seconds. */
const window = 60
const maxBuckets = 50_000

interface Bucket {
  content: number
  at: number
}

/** Of more buckets than `most` the one longest untouched is forgotten, and is then a full one. */
export function createRateLimiter(
  perWindow: number,
  now: () => number,
  most = maxBuckets,
): RateLimiter {
  const buckets = new Map<string, Bucket>()
  const perMillisecond = perWindow / (window * 1000)

  function filled(caller: string): Bucket {
    const at = now()
    const bucket = buckets.get(caller) ?? { content: perWindow, at }
    const since = Math.max(0, at - bucket.at)
    bucket.content = Math.min(perWindow, bucket.content + since * perMillisecond)
    bucket.at = at
    buckets.delete(caller)
    if (buckets.size >= most) buckets.delete(buckets.keys().next().value as string)
    buckets.set(caller, bucket)
    return bucket
  }

  /** Until there is one again where there is none now, else until all are there. */
  function reset({ content }: Bucket): number {
    const missing = content < 1 ? 1 - content : perWindow - content
    return Math.ceil(missing / perMillisecond / 1000)
  }

  function fieldsOf(bucket: Bucket): ResponseFields {
    const left = { r: Math.floor(bucket.content), t: reset(bucket) }
    return {
      RateLimit: formatItem('default', left),
      'RateLimit-Policy': formatItem('default', { q: perWindow, w: window }),
    }
  }

  return {
    take(caller) {
      const bucket = filled(caller)
      if (bucket.content < 1) {
        throw refuse('too-many-requests', {
          detail: `At most ${perWindow} requests in ${window} seconds.`,
          fields: { ...fieldsOf(bucket), 'Retry-After': String(reset(bucket)) },
        })
      }
      bucket.content -= 1
      return fieldsOf(bucket)
    },
    spend(caller, count) {
      const bucket = filled(caller)
      bucket.content = Math.max(0, bucket.content - count)
    },
  }
}
