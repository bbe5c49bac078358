/** The store of files of the service that a command works for. */

import { CommandFault } from '../../operation/command-frame/command.ts'
import type { FileStore } from '../../store/file-store.ts'
import { StoreOpenError } from '../../store/store.ts'

interface FilesConfig {
  /** FILES_URL. */
  readonly files: string | undefined
  readonly database: string
}

/** Throws a CommandFault where FILES_URL names no place. */
export async function openCommandFiles({ files: url, database }: FilesConfig): Promise<FileStore> {
  // Loaded on demand, because most commands have no files.
  const { openFileStore } = await import('../../store/files/open-file-store.ts')
  try {
    return (await openFileStore({ url, database })).store
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error
    throw new CommandFault(error.message, { cause: error })
  }
}
