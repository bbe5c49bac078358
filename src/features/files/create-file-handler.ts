/** Creates the handler of a service with files. */

import { createStreamLimit, fileStreamLimits } from '../../limits/stream-limit.ts'
import type { FileHandler } from '../../requests/context/file-handler.ts'
import type { FileStore } from '../../store/file-store.ts'
import { acceptFile } from './accept-file.ts'
import { acceptForm } from './accept-form.ts'
import { createFileQuota } from './account-file-quota.ts'
import type { OpenedFiles } from './content/open-file-store.ts'
import type { FileUseContext } from './file-use.ts'
import type { HistorySource } from './former-file.ts'
import { findNamedFiles } from './named-file.ts'
import { performOnUpload } from './uploads/perform-on-upload.ts'
import type { UploadService } from './uploads/resumable-upload.ts'
import { createRunningUploads } from './uploads/running-uploads.ts'

export interface FileHandlerContext extends FileUseContext, HistorySource {}

export function createFileHandler(context: FileHandlerContext, opened: OpenedFiles): FileHandler {
  return createHandler(context, opened, { quota: createFileQuota(context), mayBegin: true })
}

function createHandler(
  context: FileHandlerContext,
  { store, close }: OpenedFiles,
  { quota, mayBegin }: Pick<UploadService, 'quota' | 'mayBegin'>,
): FileHandler {
  const { model, clock } = context
  const running = createRunningUploads()
  const uploads: UploadService = { model, files: store, clock, running, quota, mayBegin }
  return {
    store,
    quota,
    streams: createStreamLimit(fileStreamLimits),
    forDryRun: () =>
      createHandler(context, { store: withoutKeeping(store), close }, { quota, mayBegin: false }),
    close,
    acceptFile: (sent) => acceptFile(uploads, sent),
    acceptForm: (form) => acceptForm(uploads, form),
    performUpload: (sent) => performOnUpload(uploads, sent),
    findNamedFiles: (lookup) =>
      findNamedFiles({ model, files: store, history: context, now: clock.now() }, lookup),
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
