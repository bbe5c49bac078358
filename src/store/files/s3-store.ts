/**
 * Stores files in an S3-compatible service, which has no renames. Each digest has two keys. A key that
 * has a mark in `aside/` is about to be removed, so new uses take the other one. A use is marked in
 * `used/` before the mark in `aside/` is looked for, and removal does it the other way round: one of
 * both sees the other.
 */

import type { DigestAlgorithm } from '../../http/digest.ts'
import type { OctetRange } from '../../http/range.ts'
import { DamagedContent, type FileStore, type ReceivedFile } from '../file-store.ts'
import { createS3Bucket, type S3Bucket } from '../s3/s3-bucket.ts'
import type { S3Client } from '../s3/s3-client.ts'
import { StoreUnavailable } from '../store.ts'
import { createDigester } from './digester.ts'
import { translateFileSystemErrors } from './file-system-errors.ts'
import { openSpool } from './spool.ts'

/** Milliseconds after which a mark in `aside/` is no longer relied on: `recover` may remove it in an hour. */
const maxAsideAge = 1_800_000

/** A store on the service; `now` is the time in milliseconds. */
export function openS3Store(client: S3Client, now: () => number): FileStore {
  const bucket = createS3Bucket(client)
  /** When this process marked content in `aside/`. */
  const asideSince = new Map<string, number>()
  return {
    receive: (parts, digests = []) => translateFileSystemErrors(() => receive(bucket, parts, digests)),
    sizeOf: (digest) => sizeOf(bucket, digest),
    read: (digest, range) => readContent(bucket, digest, range),
    renew: (digest) => renew(bucket, digest),
    unusedSince: (time) => unusedSince(bucket, time),
    async setAside(digest, time) {
      asideSince.set(digest, now())
      return setAside(bucket, digest, time)
    },
    async restore(digest) {
      asideSince.delete(digest)
      for (const name of namesOf(digest)) await bucket.remove(`aside/${name}`)
    },
    async erase(digest) {
      const since = asideSince.get(digest)
      asideSince.delete(digest)
      if (since !== undefined && now() - since < maxAsideAge) await erase(bucket, digest)
    },
    recover: (time) => recover(bucket, time),
  }
}

/** The names of both keys. */
function namesOf(digest: string): readonly [string, string] {
  const name = Buffer.from(digest, 'base64').toString('hex')
  return [name, `${name}.2`]
}

/** The digest is known when all octets are here, so they wait on the disk: a service stores no unnamed content. */
async function receive(
  bucket: S3Bucket,
  parts: AsyncIterable<Uint8Array>,
  algorithms: Iterable<DigestAlgorithm>,
): Promise<ReceivedFile> {
  const spool = await openSpool()
  const digester = createDigester(algorithms)
  try {
    for await (const part of parts) {
      digester.update(part)
      await spool.write(part)
    }
  } catch (error) {
    await spool.close()
    throw error
  }
  const received = digester.finish()
  return {
    ...received,
    async keep() {
      try {
        await translateFileSystemErrors(() => keep(bucket, received, () => spool.read()))
      } finally {
        await spool.close()
      }
    },
    discard: () => spool.close(),
  }
}

async function keep(
  bucket: S3Bucket,
  { digest, size }: Pick<ReceivedFile, 'digest' | 'size'>,
  open: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  const content = { size, digest: Buffer.from(digest, 'base64').toString('hex'), open }
  for (const name of namesOf(digest)) {
    await bucket.put(`content/${name}`, content)
    if (!(await bucket.find(`aside/${name}`))) return
  }
  throw bothAside(digest)
}

/** Both keys are about to be removed; one of them is free again after the collection. */
function bothAside(digest: string): StoreUnavailable {
  return new StoreUnavailable('unreachable', `The content ${digest} is being removed.`)
}

async function sizeOf(bucket: S3Bucket, digest: string): Promise<number | undefined> {
  for (const name of namesOf(digest)) {
    const found = await bucket.find(`content/${name}`)
    if (found) return found.size
  }
  return undefined
}

async function* readContent(bucket: S3Bucket, digest: string, range: OctetRange): AsyncGenerator<Uint8Array> {
  const expected = range.last + 1 - range.first
  if (expected <= 0) return
  for (const name of namesOf(digest)) {
    const octets = await bucket.get(`content/${name}`, range)
    if (!octets) continue
    let size = 0
    for await (const part of octets) {
      size += part.length
      yield part
    }
    if (size === expected) return
    throw new DamagedContent(digest, 'has another length')
  }
  throw new DamagedContent(digest, 'is missing')
}

async function renew(bucket: S3Bucket, digest: string): Promise<boolean> {
  const [first, second] = namesOf(digest)
  for (const name of [first, second]) {
    await bucket.put(`used/${name}`)
    const isPresent = (await bucket.find(`content/${name}`)) !== undefined
    if (isPresent && !(await bucket.find(`aside/${name}`))) return true
  }
  return copyToFreeKey(bucket, digest)
}

/** All present content is about to be removed: copies it to a key that is not. */
async function copyToFreeKey(bucket: S3Bucket, digest: string): Promise<boolean> {
  const [first, second] = namesOf(digest)
  let isCopied = false
  for (const [from, to] of [
    [first, second],
    [second, first],
  ] as const) {
    if (!(await bucket.copy(`content/${from}`, `content/${to}`))) continue
    isCopied = true
    if (!(await bucket.find(`aside/${to}`))) return true
  }
  if (isCopied) throw bothAside(digest)
  return false
}

async function* unusedSince(bucket: S3Bucket, time: number): AsyncGenerator<string> {
  let last = ''
  for await (const { key, modifiedAt } of bucket.list('content/')) {
    const name = /^content\/([0-9a-f]{64})(?:\.2)?$/.exec(key)?.[1]
    // Both keys of a digest follow each other.
    if (name === undefined || name === last || modifiedAt >= time) continue
    last = name
    yield Buffer.from(name, 'hex').toString('base64')
  }
}

async function setAside(bucket: S3Bucket, digest: string, time: number): Promise<boolean> {
  let isAside = false
  for (const name of namesOf(digest)) {
    if (!(await bucket.find(`content/${name}`))) continue
    await bucket.put(`aside/${name}`)
    const places = [await bucket.find(`content/${name}`), await bucket.find(`used/${name}`)]
    if (places.every((place) => place === undefined || place.modifiedAt < time)) isAside = true
    else await bucket.remove(`aside/${name}`)
  }
  return isAside
}

/** The content first: while the mark is there, nothing new relies on the key. */
async function erase(bucket: S3Bucket, digest: string): Promise<void> {
  for (const name of namesOf(digest)) {
    if (!(await bucket.find(`aside/${name}`))) continue
    await bucket.remove(`content/${name}`)
    await bucket.remove(`used/${name}`)
    await bucket.remove(`aside/${name}`)
  }
}

async function recover(bucket: S3Bucket, time: number): Promise<void> {
  for (const prefix of ['aside/', 'used/']) {
    for await (const { key, modifiedAt } of bucket.list(prefix)) {
      if (modifiedAt < time) await bucket.remove(key)
    }
  }
}
