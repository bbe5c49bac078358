/**
 * Limits the rate of requests with a token bucket for each caller, reported in RateLimit and
 * RateLimit-Policy (docs/reference/http.md, "Limits").
 */

import type { ResponseFields } from '../http/message.ts'
import { formatItem } from '../http/structured-field.ts'
import { refuse } from '../refusal.ts'

export interface RateLimiter {
  /** Counts a request and returns the RateLimit fields; refuses with 429 when the bucket is empty. */
  take(caller: string): ResponseFields
  /** Subtracts requests that another process admitted, down to zero. */
  spend(caller: string, count: number): void
}

/** In seconds. */
const window = 60
const maxBuckets = 50_000

interface Bucket {
  content: number
  at: number
}

/** Returns a limiter that keeps at most `most` buckets and drops the least recently used. */
export function createRateLimiter(perWindow: number, now: () => number, most = maxBuckets): RateLimiter {
  const buckets = new Map<string, Bucket>()
  const perMillisecond = perWindow / (window * 1000)

  function refill(caller: string): Bucket {
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

  /** Seconds until the next request is admitted, or until the bucket is full. */
  function secondsToReset({ content }: Bucket): number {
    const missing = content < 1 ? 1 - content : perWindow - content
    return Math.ceil(missing / perMillisecond / 1000)
  }

  function formatFields(bucket: Bucket): ResponseFields {
    const left = { r: Math.floor(bucket.content), t: secondsToReset(bucket) }
    return {
      RateLimit: formatItem('default', left),
      'RateLimit-Policy': formatItem('default', { q: perWindow, w: window }),
    }
  }

  return {
    take(caller) {
      const bucket = refill(caller)
      if (bucket.content < 1) {
        throw refuse('too-many-requests', {
          detail: `You may send at most ${perWindow} requests in ${window} seconds. Wait, then try again.`,
          fields: { ...formatFields(bucket), 'Retry-After': String(secondsToReset(bucket)) },
        })
      }
      bucket.content -= 1
      return formatFields(bucket)
    },
    spend(caller, count) {
      const bucket = refill(caller)
      bucket.content = Math.max(0, bucket.content - count)
    },
  }
}
