/** The files of a service, opened and loaded only for definitions that have fields for them. */

import { findFileModel, hasFiles } from '../../definition/file-fields.ts'
import type { Model } from '../../definition/model.ts'
import { formatOctetSize } from '../../definition/octet-size.ts'
import type { Observer } from '../../observation.ts'
import type { FileHandler } from '../../requests/context/file-handler.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { FileStore } from '../../store/file-store.ts'
import type { FilesPlace, OpenedFiles } from '../../store/files/open-file-store.ts'
import { StoreOpenError } from '../../store/store.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import type { FileCollection } from './remove-unused-files.ts'

/** Undefined where the definition has no field for files. Throws a StoreOpenError where they have no place, or too small a one. */
export async function openServiceFiles(
  context: Pick<ServiceContext, 'model' | 'store' | 'clock' | 'changes'>,
  place: FilesPlace | undefined,
): Promise<FileHandler | undefined> {
  if (!hasFiles(context.model)) return undefined
  if (!place) throw new Error('The definition has files, and the service has no place for them')
  const { openFileStore } = await import('../../store/files/open-file-store.ts')
  const { createFileHandler } = await import('./create-file-handler.ts')
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

interface CollectingOptions extends Pick<FileCollection, 'model' | 'store' | 'clock'> {
  readonly observe: Observer
  /** The place of files, or their store where it is open. */
  readonly files: FilesPlace | { readonly store: FileStore } | undefined
}

/** Starts to remove content that nothing names. */
export async function startCollectingFiles({
  model,
  store,
  clock,
  observe,
  files: place,
}: CollectingOptions): Promise<readonly BackgroundTask[]> {
  if (!hasFiles(model) || !place) return []
  const { openFileStore } = await import('../../store/files/open-file-store.ts')
  // By this path build.ts finds it.
  const { startFileCollection } = await import('./remove-unused-files.ts')
  const { store: files } = 'store' in place ? place : await openFileStore(place)
  return [startFileCollection({ model, store, files, clock }, observe)]
}
