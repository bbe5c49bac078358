/** Copies content from one store to another. */

import { type ContentDamage, listDigests, type NamedFile } from '../copy/named-files.ts'
import { readWhole, storeMissing } from '../file-content.ts'
import { DamagedContent, type FileStore } from '../file-store.ts'

export interface CopiedFiles {
  /** How many files the other store did not have. */
  readonly copied: number
  /** Of what neither store has undamaged. */
  readonly damage: ContentDamage
}

/** Copies all content, and all that rows name, which the other store does not have. All content of both is compared. */
export async function copyFiles(
  from: FileStore,
  to: FileStore,
  named: AsyncIterable<NamedFile>,
): Promise<CopiedFiles> {
  let copied = 0
  const damage = new Map<string, string>()
  for (const digest of (await listDigests(from, named)).all) {
    try {
      if (await storeMissing(to, digest, () => readWhole(from, digest))) copied += 1
    } catch (error) {
      if (!(error instanceof DamagedContent)) throw error
      damage.set(digest, error.reason)
    }
  }
  return { copied, damage }
}
