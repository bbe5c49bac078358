/** The fields that hold files: one, or a list of them. */

import type { FieldModel, Model, Stored } from './model.ts'
import type { FileModel } from './option-models.ts'
import { type ListedFile, parseStoredFile, parseStoredFiles, type StoredFile } from './stored-file.ts'

/** The limits of each file; undefined for a field of another kind. */
export function findFileModel({ file, item }: FieldModel): FileModel | undefined {
  return file ?? item?.file
}

/** The field of a list of files; undefined for every other field. */
export function findListedField({ item }: FieldModel): FieldModel | undefined {
  return item?.file ? item : undefined
}

/** Whether the field holds several files. */
export function isFileList(field: FieldModel): boolean {
  return findListedField(field) !== undefined
}

/** The number of files that a list may have. */
export function fileCountLimits({ schema }: FieldModel): { readonly min: number; readonly max: number } {
  return { min: Number(schema.minItems ?? 0), max: Number(schema.maxItems) }
}

/** All files in a column of the field. */
export function filesIn(field: FieldModel, stored: Stored | undefined): readonly (StoredFile | ListedFile)[] {
  if (isFileList(field)) return parseStoredFiles(stored)
  const file = field.file && parseStoredFile(stored)
  return file ? [file] : []
}

/** Whether the definition has fields for files. */
export function hasFiles({ resources }: Pick<Model, 'resources'>): boolean {
  return resources.values().some(({ fields }) => fields.some(findFileModel))
}
