/** Errors of the file system as those of a store. */

import { StoreUnavailable } from '../store.ts'

/** Errors of the file system as those of a store; other errors, such as those of the parts, unchanged. */
export async function translateFileSystemErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new StoreUnavailable('full', 'The disk of the files is full.', { cause: error })
    }
    if (code !== undefined && systemErrors.has(code)) {
      throw new StoreUnavailable('unreachable', `The disk of the files: ${code}.`, { cause: error })
    }
    throw error
  }
}

/** Those of files, which the parts of a request do not have. */
const systemErrors: ReadonlySet<string> = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ESTALE', 'EBUSY', 'EXDEV', 'ELOOP', 'EMLINK'],
  ...['ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'ENAMETOOLONG'],
])

/** The code of an error of the system, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
