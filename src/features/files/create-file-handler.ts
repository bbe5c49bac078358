/** Creates the handler of a service with files. */

import { createStreamLimit, fileStreamLimits } from '../../limits/stream-limit.ts'
import type { FileHandler } from '../../requests/context/file-handler.ts'
import type { FileStore } from '../../store/file-store.ts'
import type { OpenedFiles } from '../../store/files/open-file-store.ts'
import { acceptFile } from './accept-file.ts'
import { acceptForm } from './accept-form.ts'
import { createFileQuota } from './account-file-quota.ts'
import type { FileUseContext } from './file-use.ts'
import { findStoredFile, type HistorySource } from './find-stored-file.ts'
import { encodeNamedFiles } from './named-file.ts'
import { performOnUpload } from './uploads/perform-on-upload.ts'
import type { UploadService } from './uploads/resumable-upload.ts'
import { createRunningUploads } from './uploads/running-uploads.ts'

export interface FileHandlerContext extends FileUseContext, HistorySource {}

export function createFileHandler(context: FileHandlerContext, opened: OpenedFiles): FileHandler {
  const { model, clock } = context
  const { store, close } = opened
  const quota = createFileQuota(context)
  const running = createRunningUploads()
  const kept: UploadService = { model, files: store, clock, running, quota, mayBegin: true }
  const tried: UploadService = { ...kept, files: withoutKeeping(store), mayBegin: false }
  return {
    store,
    quota,
    streams: createStreamLimit(fileStreamLimits),
    close,
    acceptFile: (sent) => acceptFile(sent.isDryRun ? tried : kept, sent),
    acceptForm: (form) => acceptForm(form.isDryRun ? tried : kept, form),
    performUpload: (sent) => performOnUpload(kept, sent),
    findStoredFile: async (place) => (await findStoredFile(context, place))?.file,
    encodeNamedFiles: (lookup) =>
      encodeNamedFiles({ model, files: store, history: context, now: clock.now() }, lookup),
  }
}

/** The store; files that it receives are discarded where they would be kept. */
function withoutKeeping(store: FileStore): FileStore {
  return {
    ...store,
    async receive(octets, digests) {
      const received = await store.receive(octets, digests)
      return { ...received, keep: received.discard }
    },
  }
}
