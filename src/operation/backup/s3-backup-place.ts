/** Backups in a bucket of an S3-compatible service, which makes an object visible when it has all of it. */

import { hash, randomUUID } from 'node:crypto'
import { createS3Bucket } from '../../store/s3/s3-bucket.ts'
import { createS3Client } from '../../store/s3/s3-client.ts'
import type { S3Place } from '../../store/s3/s3-url.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { timeOfName } from './backup-manifest.ts'
import type { BackupPlace } from './backup-place.ts'
import { type S3Lease, takeLease } from './s3-lease.ts'

/** Milliseconds after which the lock of a process that has ended expires. */
const lockDuration = 60_000

const partialPrefix = 'partial/'

export function openS3BackupPlace(s3: S3Place, duration = lockDuration): BackupPlace {
  const locate = (key: string) => `s3://${s3.name}/${s3.prefix}${key}`
  const displayName = locate('').replace(/\/$/, '')
  const bucket = createS3Bucket(createS3Client(s3, `The bucket of backups ${displayName}`))
  const holder = randomUUID()
  let lease: S3Lease | undefined
  const requireLease = () => {
    if (!lease || lease.isHeld()) return
    const reason = 'did not respond for too long, so another process may write there now'
    throw new StoreUnavailable('unreachable', `The bucket of backups ${displayName} ${reason}.`)
  }
  return {
    displayName,
    isReadAgain: false,
    locate,
    async *list(prefix, depth) {
      for await (const { key } of bucket.list(prefix, depth)) yield key
    },
    async sizes(prefix) {
      const objects = await Array.fromAsync(bucket.list(prefix))
      return new Map(objects.map(({ key, size }) => [key, size]))
    },
    has: async (key) => (await bucket.find(key)) !== undefined,
    async read(key) {
      const parts = await bucket.get(key)
      return parts && Buffer.concat(await Array.fromAsync(parts))
    },
    async write(key, content) {
      requireLease()
      const digest = hash('sha256', content, 'hex')
      const upload = { size: content.length, digest, open: () => onePart(content) }
      if (timeOfName(key) === undefined) return bucket.put(key, upload)
      // A backup is copied to its name when it is complete, because some services store a part of a cut upload.
      const partial = `${partialPrefix}${key}`
      await bucket.put(partial, upload)
      // The upload may have taken long, and another process may have removed the chunks of this backup.
      requireLease()
      if (!(await bucket.copy(partial, key))) {
        throw new StoreUnavailable('unreachable', `The bucket of backups ${displayName} lost ${partial}.`)
      }
      await bucket.remove(partial)
    },
    async remove(key) {
      requireLease()
      await bucket.remove(key)
    },
    async removePartial() {
      for await (const { key } of bucket.list(partialPrefix)) await bucket.remove(key)
    },
    async lock() {
      const taken = await takeLease(bucket, { holder, duration })
      if (!taken) return undefined
      lease = taken
      return {
        async [Symbol.asyncDispose]() {
          lease = undefined
          await taken[Symbol.asyncDispose]()
        },
      }
    },
  }
}

async function* onePart(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}
