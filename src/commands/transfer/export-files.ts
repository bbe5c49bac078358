/** The files of exported items: their content in a folder, by digest, and members that name it for an import. */

import { createWriteStream, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { filesIn, findFileModel, isFileList } from '../../definition/file-fields.ts'
import { describeStoredFile, type StoredFile } from '../../definition/stored-file.ts'
import { CommandFault } from '../../operation/command-frame/command.ts'
import { readWhole } from '../../store/file-content.ts'
import { DamagedContent, type FileStore } from '../../store/file-store.ts'
import { makeFolder } from '../../tools/durable-folder.ts'
import { itemMembers } from '../../views/item-view.ts'
import type { ItemView } from '../../views/view.ts'

export interface ExportedFiles {
  readonly store: FileStore
  /** Where the files are written. */
  readonly folder: string
}

/** The item with members that name the files; their content is in the folder then. */
export async function exportFiles({ store, folder }: ExportedFiles, item: ItemView): Promise<ItemView> {
  const members = { ...itemMembers(item) }
  for (const field of item.visibleFields.fields.filter(findFileModel)) {
    const files = filesIn(field, item.row[field.index])
    for (const file of files) await writeContent(store, folder, file)
    const named = files.map((file) => {
      const { size: _, ...described } = describeStoredFile(file)
      return { file: contentName(file), ...described }
    })
    const [first] = named
    if (isFileList(field)) members[field.name] = named
    else if (first) members[field.name] = first
  }
  return { ...item, text: JSON.stringify(members) }
}

/** Content that an earlier export has written stays. */
async function writeContent(store: FileStore, folder: string, file: StoredFile): Promise<void> {
  const { digest, size } = file
  const path = join(folder, contentName(file))
  if (statSync(path, { throwIfNoEntry: false })?.size === size) return
  await makeFolder(folder)
  const partial = createWriteStream(`${path}.partial`, { mode: 0o600, flush: true })
  await pipeline(readWhole(store, digest), partial).catch((error) => {
    if (!(error instanceof DamagedContent)) throw error
    const remedy = 'Set FILES_URL as for the service, or upload the file again.'
    throw new CommandFault(`The content of the file '${file.name}' ${error.reason}. ${remedy}`, {
      cause: error,
    })
  })
  await rename(`${path}.partial`, path)
}

/** The digest in hexadecimal: base64 has characters that paths do not. */
function contentName({ digest }: StoredFile): string {
  return Buffer.from(digest, 'base64').toString('hex')
}
