/** The file at the target of a request, as the row of its item has it. */

import { isFileList } from '../../definition/file-fields.ts'
import { parseStoredFile, parseStoredFiles, type StoredFile } from '../../definition/stored-file.ts'
import type { Row } from '../../store/row.ts'
import type { FileTarget } from '../context/target.ts'

/** Whether the target is a list of files, not one of them. */
export function isFileListTarget({ field, fileId }: Pick<FileTarget, 'field' | 'fileId'>): boolean {
  return fileId === undefined && isFileList(field)
}

/** The file; undefined where there is none, and for a list. */
export function findTargetFile(
  { field, fileId }: Pick<FileTarget, 'field' | 'fileId'>,
  row: Row,
): StoredFile | undefined {
  const stored = row[field.index]
  if (!isFileList(field)) return parseStoredFile(stored)
  return parseStoredFiles(stored).find(({ id }) => id === fileId)
}
