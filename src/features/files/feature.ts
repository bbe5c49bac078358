/** Files in fields of items: requests for them, uploads that can be resumed, and quotas. */

import { type DefinitionPart, reportTakenPath } from '../../definition/definition-part.ts'
import { hasFiles } from '../../definition/file-fields.ts'
import type { Model } from '../../definition/model.ts'
import { hasFileFields } from '../../definition/required-features.ts'
import type { Observer } from '../../observation.ts'
import type { FileStore } from '../../store/file-store.ts'
import type { FilesPlace } from '../../store/files/open-file-store.ts'
import type { Store } from '../../store/store.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import { checkFiles, fileQuota, parseFileQuota } from './check-files.ts'
import type { createFileImport as CreateFileImport } from './import-files.ts'
import type { FileCollection } from './remove-unused-files.ts'
import {
  createUploadPartsResource,
  createUploadsResource,
  uploadPartsTable,
  uploadsTable,
} from './uploads-resource.ts'

export const files = {
  name: 'files',
  definition: {
    options: ['files', 'file()'],
    declare(declared) {
      const { options, accountsOptions, declarations, paths, faults } = declared
      const model = fileQuota.with(parseFileQuota(options.files, accountsOptions !== undefined, faults))
      if (!hasFileFields(declared)) return { model }
      if (declarations.has(paths.uploads)) reportTakenPath(faults, paths.uploads, 'the definition has files')
      const tables = [
        { table: uploadsTable, resource: createUploadsResource() },
        { table: uploadPartsTable, resource: createUploadPartsResource() },
      ]
      return { tables, model }
    },
    checkResource: checkFiles,
  } satisfies DefinitionPart,
  figures: {
    async files(store: Store, model: Model) {
      if (fileQuota.of(model) === undefined) return null
      const { loadFileFigures } = await import('./file-figures.ts')
      return loadFileFigures(store, model)
    },
  },
  async openFileImport(place: Parameters<typeof CreateFileImport>[0]) {
    const { createFileImport } = await import('./import-files.ts')
    return createFileImport(place)
  },
  startSingleTasks: startCollectingFiles,
  isUsed: hasFiles,
  load: async () => (await import('./parts.ts')).filesParts,
}

interface CollectingOptions extends Pick<FileCollection, 'model' | 'store' | 'clock'> {
  readonly observe: Observer
  /** The place of files, or their store where it is open. */
  readonly files: FilesPlace | { readonly store: FileStore } | undefined
}

/** Starts to remove content that nothing names. */
async function startCollectingFiles({
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
