/** Opens the place of backups: a folder, or a bucket where an `s3:` URL names one. */

import { isS3Url, parseS3Url, type S3Place } from '../../store/s3/s3-url.ts'
import { StoreOpenError } from '../../store/store.ts'
import { timeOfName } from './backup-manifest.ts'
import type { BackupPlace, BackupSource } from './backup-place.ts'
import { findFolderSource, openFolderPlace } from './folder-place.ts'
import { openS3BackupPlace } from './s3-backup-place.ts'

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
