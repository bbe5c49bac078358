/** Token buckets: each holds as much as may be taken within a window, and is refilled evenly. */

export interface TokenBuckets {
  /** The bucket of the key with its present content, from which the caller takes. */
  refill(key: string): Bucket
  /** Seconds in which so much is refilled. */
  secondsFor(count: number): number
}

export interface Bucket {
  /** Below zero where more was taken than there was. */
  content: number
}

export interface BucketOptions {
  readonly size: number
  /** Seconds in which an empty bucket becomes full. */
  readonly window: number
  readonly now: () => number
}

/** The most buckets that are kept; the least recently used is dropped. */
export const maxBuckets = 50_000

interface TimedBucket extends Bucket {
  at: number
}

export function createTokenBuckets({ size, window, now }: BucketOptions): TokenBuckets {
  const buckets = new Map<string, TimedBucket>()
  const perMillisecond = size / (window * 1000)
  return {
    refill(key) {
      const at = now()
      const bucket = buckets.get(key) ?? { content: size, at }
      const since = Math.max(0, at - bucket.at)
      bucket.content = Math.min(size, bucket.content + since * perMillisecond)
      bucket.at = at
      buckets.delete(key)
      if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value as string)
      buckets.set(key, bucket)
      return bucket
    },
    secondsFor: (count) => Math.ceil(count / perMillisecond / 1000),
  }
}
