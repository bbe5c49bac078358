/** Counts and digests octets as they pass, and remembers the first of them. */

import { createHash } from 'node:crypto'
import { type DigestAlgorithm, hashNames } from '../../http/digest.ts'
import type { ReceivedFile } from '../file-store.ts'

const headOctets = 4096

export interface Digester {
  update(octets: Uint8Array): void
  finish(): Pick<ReceivedFile, 'size' | 'digest' | 'digests' | 'head'>
}

/** A digester for SHA-256 and these algorithms. */
export function createDigester(algorithms: Iterable<DigestAlgorithm>): Digester {
  const names = new Set<DigestAlgorithm>(['sha-256', ...algorithms])
  const hashes = [...names].map((name) => ({ name, hash: createHash(hashNames[name]) }))
  let head: Uint8Array = new Uint8Array(0)
  let size = 0
  return {
    update(octets) {
      for (const { hash } of hashes) hash.update(octets)
      size += octets.length
      if (head.length < headOctets) head = Buffer.concat([head, octets.subarray(0, headOctets - head.length)])
    },
    finish() {
      const digests = new Map(hashes.map(({ name, hash }) => [name, hash.digest('base64')]))
      return { size, head, digest: digests.get('sha-256') ?? '', digests }
    },
  }
}
