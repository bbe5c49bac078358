/** Opens the store of the content of files: a folder beside the database, unless a URL names another one. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileStore } from '../file-store.ts'
import { isPostgresUrl } from '../postgres/connection/database-url.ts'
import { createS3Client } from '../s3/s3-client.ts'
import { isS3Url, parseS3Url } from '../s3/s3-url.ts'
import { parseSqliteUrl } from '../sqlite/connection/database-url.ts'
import { StoreOpenError } from '../store.ts'
import { openFolderStore } from './folder-store.ts'
import { openS3Store } from './s3-store.ts'

export { copyFiles } from './copy-files.ts'

/** Where files are: `url` names a folder (`file:data/files`) or a bucket (`s3://…`); without it they are beside the database. */
export interface FilesPlace {
  readonly url?: string | undefined
  readonly database: string
}

export interface OpenedFiles {
  readonly store: FileStore
  /** Octets of the largest file; undefined where only the disk limits it. */
  readonly maxSize?: number
  /** Removes the folder of a temporary database. */
  close(): Promise<void>
}

/** Content is stored by one PUT, which takes 5 GB. */
const maxObjectSize = 5_000_000_000

/** Throws a StoreOpenError where the place is no folder and no bucket, or none is named for PostgreSQL. */
export async function openFileStore({ url, database }: FilesPlace): Promise<OpenedFiles> {
  if (url !== undefined && isS3Url(url)) {
    const store = openS3Store(createS3Client(parseS3Url(url)), Date.now)
    return { store, maxSize: maxObjectSize, close: async () => {} }
  }
  if (url !== undefined) return folderAt(url)
  if (isPostgresUrl(database)) {
    throw new StoreOpenError(
      'The definition has files, and no place for them is named. Set FILES_URL (or --from-files and --to-files), such as file:data/files or s3://bucket.',
    )
  }
  const place = parseSqliteUrl(database)
  if ('file' in place) return { store: openFolderStore(`${place.file}-files`), close: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'restwell-files-'))
  return { store: openFolderStore(folder), close: () => rm(folder, { recursive: true, force: true }) }
}

function folderAt(url: string): OpenedFiles {
  const place = url.startsWith('file:') ? parseSqliteUrl(url) : undefined
  if (!place || !('file' in place)) {
    throw new StoreOpenError(
      `The place of files must be 'file:' and a path, or 's3://' and a bucket, not '${url}'.`,
    )
  }
  return { store: openFolderStore(place.file), close: async () => {} }
}
