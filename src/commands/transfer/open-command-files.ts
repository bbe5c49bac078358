/** The store of files of the service that a command works for. */

import type { FileStore } from '../../store/file-store.ts'

interface FilesConfig {
  /** FILES_URL. */
  readonly files: string | undefined
  readonly database: string
}

/** Throws an OperatorFault where FILES_URL names no place. */
export async function openCommandFiles({ files: url, database }: FilesConfig): Promise<FileStore> {
  // Loaded on demand, because most commands have no files.
  const { openFileStore } = await import('../../store/files/open-file-store.ts')
  return (await openFileStore({ url, database })).store
}
