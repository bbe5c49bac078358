/** Restores the files of a backup into a store. */

import { eachBySize, otherContent, readBackedUpFile } from '../../../operation/backup/backed-up-files.ts'
import type { Backup } from '../../../operation/backup/backup-manifest.ts'
import type { ChunkStore } from '../../../operation/backup/chunk-store.ts'
import type { FileStore } from '../../../store/file-store.ts'

/** Stores the content that the store does not have. Throws a StoreOpenError where the backup is damaged. */
export async function restoreFiles(
  { file, backup: { files = [] } }: { readonly file: string; readonly backup: Backup },
  chunks: ChunkStore,
  store: FileStore,
): Promise<void> {
  await eachBySize(files, async (one) => {
    if (await store.renew(one.digest)) return
    const received = await store.receive(readBackedUpFile(file, one, chunks))
    if (received.digest !== one.digest) {
      await received.discard()
      throw otherContent(file, one)
    }
    await received.keep()
  })
}
