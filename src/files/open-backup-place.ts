/** Opens the place of backups: a folder, or a bucket where an `s3:` URL names one. */

import { timeOfName } from '../store/backup/backup-manifest.ts'
import type { BackupPlace, BackupSource } from '../store/backup/backup-place.ts'
import { findFolderSource, openFolderPlace } from '../store/backup/folder-place.ts'
import { StoreOpenError } from '../store/store.ts'
import { openS3BackupPlace } from './s3-backup-place.ts'
import { isS3Url, parseS3Url, type S3Place } from './s3-url.ts'

/** The place that backups are written to. Throws a StoreOpenError where the text names none. */
export function openBackupPlace(place: string): BackupPlace {
  if (isS3Url(place)) return openS3BackupPlace(parsePlace(place))
  return openFolderPlace(requirePath(place))
}

/** A place of backups, or one backup: a file or an object. Throws a StoreOpenError where the text names none. */
export function openBackupSource(from: string): BackupSource {
  if (!isS3Url(from)) return findFolderSource(requirePath(from))
  const s3 = parsePlace(from)
  const [, parent = '', name = ''] = /^(.*\/)?([^/]*)\/$/.exec(s3.prefix) ?? []
  if (timeOfName(name) === undefined) return { place: openS3BackupPlace(s3), name: undefined }
  return { place: openS3BackupPlace({ ...s3, prefix: parent }), name }
}

function parsePlace(url: string): S3Place {
  return parseS3Url(url, 'The bucket of backups')
}

function requirePath(text: string): string {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return text
  throw new StoreOpenError(`Expected a folder or an s3:// URL for backups, not '${text}'.`)
}
