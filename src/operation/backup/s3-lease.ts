/**
 * A lock in a bucket. S3-compatible services have no locks, and not all have conditional writes. So each process
 * writes an object of its own and then lists those of the others: of two processes, one sees the other. The object is
 * written again while the lock is held. One that was not written for some time is from a process that has ended.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { ListedObject, S3Bucket } from '../../store/s3/s3-bucket.ts'
import { StoreUnavailable } from '../../store/store.ts'

export interface S3Lease extends AsyncDisposable {
  /** False for ever after the service took no renewal for half of the duration: another process may have the lock. */
  isHeld(): boolean
}

const prefix = 'locks/'

export interface S3LeaseOptions {
  /** A unique name. A lock that the same holder could not remove does not exclude it. */
  readonly holder: string
  /** Milliseconds after which the lock of a process that has ended expires. */
  readonly duration: number
}

/** Takes the lock; undefined where another holder has it. Waits until the lock of a process that has ended expires. */
export async function takeLease(
  bucket: S3Bucket,
  { holder, duration }: S3LeaseOptions,
): Promise<S3Lease | undefined> {
  const key = `${prefix}${holder}`
  const began = performance.now()
  let earlier: ReadonlyMap<string, number> | undefined
  for (;;) {
    const age = startAge()
    await bucket.put(key)
    const others = await listOthers(bucket, key, duration)
    if (others.length === 0) return renewed(bucket, key, { duration, age })
    const isRenewed = others.some(
      (other) => (earlier?.get(other.key) ?? other.modifiedAt) !== other.modifiedAt,
    )
    // The others expire within this time, unless the clock of the service is wrong.
    if (isRenewed || performance.now() - began > 2 * duration) {
      await bucket.remove(key)
      return undefined
    }
    earlier ??= new Map(others.map((other) => [other.key, other.modifiedAt]))
    await pause(duration / 12)
  }
}

/** The locks of other processes. Removes those that have expired, by the clock of the service. */
async function listOthers(bucket: S3Bucket, key: string, duration: number): Promise<readonly ListedObject[]> {
  const all = await Array.fromAsync(bucket.list(prefix))
  const now = all.find((one) => one.key === key)?.modifiedAt ?? 0
  const others = all.filter((one) => one.key !== key)
  const expired = others.filter(({ modifiedAt }) => now - modifiedAt > duration)
  for (const one of expired) await bucket.remove(one.key)
  return others.filter((one) => !expired.includes(one))
}

/** Counts milliseconds from now, also while the machine is suspended, and when its clock is set back. */
function startAge(): () => number {
  const [time, ticks] = [Date.now(), performance.now()]
  return () => Math.max(Date.now() - time, performance.now() - ticks)
}

function renewed(
  bucket: S3Bucket,
  key: string,
  { duration, age: firstAge }: { readonly duration: number; readonly age: () => number },
): S3Lease {
  let age = firstAge
  let isLost = false
  const isHeld = () => {
    isLost ||= age() > duration / 2
    return !isLost
  }
  const renew = async () => {
    const newAge = startAge()
    if (!isHeld()) return
    try {
      await bucket.put(key)
      // An object that was written too late may have expired before.
      if (isHeld()) age = newAge
    } catch (error) {
      // The next renewal may succeed; else the lock counts as lost.
      if (!(error instanceof StoreUnavailable)) throw error
    }
  }
  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    renewing = renewing.then(renew)
  }, duration / 6)
  timer.unref()
  return {
    isHeld,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await renewing
      // An object that cannot be removed now expires.
      await bucket.remove(key).catch((error) => {
        if (!(error instanceof StoreUnavailable)) throw error
      })
    },
  }
}
