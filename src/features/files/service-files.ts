/** Opens the files of a service: the handler of their requests. */

import { findFileModel } from '../../definition/file-fields.ts'
import type { Model } from '../../definition/model.ts'
import { formatOctetSize } from '../../definition/octet-size.ts'
import { createStreamLimit, fileStreamLimits } from '../../limits/stream-limit.ts'
import type { FileHandler } from '../../requests/context/file-handler.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { FileStore } from '../../store/file-store.ts'
import { type FilesPlace, type OpenedFiles, openFileStore } from '../../store/files/open-file-store.ts'
import { StoreOpenError } from '../../store/store.ts'
import { acceptFile } from './accept-file.ts'
import { acceptForm } from './accept-form.ts'
import { createFileQuota } from './account-file-quota.ts'
import type { FileUseContext } from './file-use.ts'
import { findStoredFile, type HistorySource } from './find-stored-file.ts'
import { encodeNamedFiles } from './named-file.ts'
import { performOnUpload } from './uploads/perform-on-upload.ts'
import type { UploadService } from './uploads/resumable-upload.ts'
import { createRunningUploads } from './uploads/running-uploads.ts'

/** Throws a StoreOpenError where the files have too small a place. */
export async function openServiceFiles(
  context: Pick<ServiceContext, 'model' | 'store' | 'clock' | 'changes'>,
  place: FilesPlace | undefined,
): Promise<FileHandler> {
  if (!place) throw new Error('The definition has files, and the service has no place for them')
  const opened = await openFileStore(place)
  requireStorable(context.model, opened)
  return createFileHandler(context, opened)
}

/** Throws a StoreOpenError where a field takes larger files than the store. */
function requireStorable({ resources }: Model, { maxSize = Number.POSITIVE_INFINITY }: OpenedFiles): void {
  for (const resource of resources.values()) {
    const large = resource.fields.find((field) => (findFileModel(field)?.max ?? 0) > maxSize)
    if (!large) continue
    const [max, most] = [findFileModel(large)?.max ?? 0, maxSize].map(formatOctetSize)
    throw new StoreOpenError(
      `The field ${resource.name}.${large.name} takes files of ${max}, and a bucket takes files of at most ${most}. Write max: '${most}', or store files in a folder.`,
    )
  }
}

interface FileHandlerContext extends FileUseContext, HistorySource {}

function createFileHandler(context: FileHandlerContext, opened: OpenedFiles): FileHandler {
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
