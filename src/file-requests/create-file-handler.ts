/** Creates the handler of a service with files. */

import type { FileHandler } from '../context/file-handler.ts'
import type { Model } from '../definition/model.ts'
import type { FileStore } from '../files/file-store.ts'
import type { OpenedFiles } from '../files/open-file-store.ts'
import { createStreamLimit, fileStreamLimits } from '../limits/stream-limit.ts'
import { acceptFile } from './accept-file.ts'
import { acceptForm } from './accept-form.ts'
import type { HistorySource } from './former-file.ts'
import { findNamedFiles } from './named-file.ts'
import { performUpload } from './perform-upload.ts'
import type { UploadService } from './resumable-upload.ts'
import { createRunningUploads } from './running-uploads.ts'

export function createFileHandler(
  model: Model,
  opened: OpenedFiles,
  history: HistorySource,
  mayBegin = true,
): FileHandler {
  const { store, close } = opened
  const { clock } = history
  const uploads: UploadService = { model, files: store, clock, running: createRunningUploads(), mayBegin }
  return {
    store,
    streams: createStreamLimit(fileStreamLimits),
    forDryRun: () => createFileHandler(model, { store: withoutKeeping(store), close }, history, false),
    close,
    acceptFile: (sent) => acceptFile(uploads, sent),
    acceptForm: (form) => acceptForm(store, form),
    performUpload: (sent) => performUpload(uploads, sent),
    findNamedFiles: (lookup) => findNamedFiles({ model, files: store, history, now: clock.now() }, lookup),
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
