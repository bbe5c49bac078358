/** The header fields of a file that its 304 has too (RFC 9110 §15.4.5): validator, lifetime and place. */

import type { StoredFile } from '../../definition/stored-file.ts'
import type { ResponseFields } from '../../http/message.ts'
import { storedFileUri } from '../../views/file-member.ts'
import { fileTag } from '../../views/file-validators.ts'
import { idOf } from '../../views/uri.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { FileTarget, StoredFileTarget } from '../context/target.ts'
import type { FoundItem } from '../read/current-state.ts'
import { fileCacheControl, varyOfFile } from './cacheability.ts'

export function fileFields(
  context: RequestContext<FileTarget | StoredFileTarget>,
  { row }: FoundItem,
  file: StoredFile,
): ResponseFields {
  const { target } = context
  const { kind, resource } = target
  return {
    ETag: `"${fileTag(file)}"`,
    'Cache-Control': fileCacheControl(context),
    ...varyOfFile(target),
    // §8.7: this representation has a URI of its own, whatever the target has later.
    ...(kind === 'file' && { 'Content-Location': storedFileUri(resource, idOf(resource, row), file) }),
  }
}
