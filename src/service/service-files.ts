/** The files of a service, opened and loaded only for definitions that have fields for them. */

import type { FileHandler } from '../context/file-handler.ts'
import type { Clock, ServiceContext } from '../context/service-context.ts'
import { hasFiles } from '../definition/file-fields.ts'
import type { Model } from '../definition/model.ts'
import type { FileStore } from '../files/file-store.ts'
import type { FilesPlace } from '../files/open-file-store.ts'
import type { Observer } from '../observation.ts'
import type { Store } from '../store/store.ts'

/** Undefined where the definition has no field for files. Throws a StoreOpenError where they have no place. */
export async function openServiceFiles(
  context: Pick<ServiceContext, 'model' | 'store' | 'clock' | 'changes'>,
  place: FilesPlace | undefined,
): Promise<FileHandler | undefined> {
  if (!hasFiles(context.model)) return undefined
  if (!place) throw new Error('The definition has files, and the service has no place for them')
  const { openFileStore } = await import('../files/open-file-store.ts')
  const { createFileHandler } = await import('../file-requests/create-file-handler.ts')
  return createFileHandler(context, await openFileStore(place))
}

export interface CollectingOptions {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
  readonly observe: Observer
}

/** Starts to remove content that nothing names; returns a function that stops it. */
export async function startCollectingFiles(
  { model, store, clock, observe }: CollectingOptions,
  place: FilesPlace | { readonly store: FileStore } | undefined,
): Promise<() => Promise<void>> {
  if (!hasFiles(model) || !place) return async () => {}
  const { openFileStore } = await import('../files/open-file-store.ts')
  // By this path build.ts finds it.
  const { startFileCollection } = await import('../service/file-collection.ts')
  const { store: files } = 'store' in place ? place : await openFileStore(place)
  const stop = startFileCollection({ model, store, files, clock }, observe)
  return async () => stop()
}
