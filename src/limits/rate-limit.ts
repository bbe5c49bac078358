/**
 * Limits the rate of requests with a token bucket for each caller, reported in RateLimit and
 * RateLimit-Policy (docs/reference/http/limits.md, "Limits").
 */

import type { ResponseFields } from '../http/message.ts'
import { refuse } from '../refusal.ts'
import { type Bucket, createTokenBuckets } from './token-buckets.ts'

export interface RateLimiter {
  /** Counts a request and returns the RateLimit fields; refuses with 429 when the bucket is empty. */
  take(caller: string): ResponseFields
  /** Subtracts requests that another process admitted, down to zero. */
  spend(caller: string, count: number): void
}

/** In seconds. */
const window = 60

/** Returns a limiter that counts in this process. */
export function createRateLimiter(perWindow: number, now: () => number): RateLimiter {
  const buckets = createTokenBuckets({ size: perWindow, window, now })

  /** Seconds until the next request is admitted, or until the bucket is full. */
  function secondsToReset({ content }: Bucket): number {
    return buckets.secondsFor(content < 1 ? 1 - content : perWindow - content)
  }

  function formatFields(bucket: Bucket): ResponseFields {
    return {
      RateLimit: `"default";r=${Math.floor(bucket.content)};t=${secondsToReset(bucket)}`,
      'RateLimit-Policy': `"default";q=${Math.floor(perWindow)};w=${window}`,
    }
  }

  return {
    take(caller) {
      const bucket = buckets.refill(caller)
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
      const bucket = buckets.refill(caller)
      bucket.content = Math.max(0, bucket.content - count)
    },
  }
}
