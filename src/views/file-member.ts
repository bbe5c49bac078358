/** The member of a representation that describes a file or a list of files, and the URIs of their content. */

import { filesIn, findFileModel, isFileList } from '../definition/file-fields.ts'
import type { FieldModel, JsonValue, ResourceModel, Stored } from '../definition/model.ts'
import {
  describeStoredFile,
  parseStoredFile,
  parseStoredFiles,
  type StoredFile,
} from '../definition/stored-file.ts'
import { formatPath } from '../http/request-target.ts'
import type { Row } from '../store/row.ts'
import { fileKey } from './file-validators.ts'
import { idOf, reservedUri } from './uri.ts'

/** The URI of the file in a field of an item, `/tasks/{id}/cover`, or of a list of files. */
export function fileUri(resource: ResourceModel, { name }: FieldModel, row: Row): string {
  return formatPath(resource.path, [idOf(resource, row), name])
}

/** The URI of a file of a list: `/tasks/{id}/photos/{file}`. */
export function listedFileUri(resource: ResourceModel, field: FieldModel, row: Row, fileId: string): string {
  return formatPath(resource.path, [idOf(resource, row), field.name, fileId])
}

/** The permanent URI of a file that an item has or had: `/tasks/{id}/-/files/{key}`. */
export function storedFileUri({ path }: ResourceModel, id: string, file: StoredFile): string {
  return formatPath(reservedUri(formatPath(path, [id]), 'files'), [fileKey(file)])
}

/** The value of any field in JSON; undefined where it is absent. A file needs the item for its URI. */
export function shownValue(resource: ResourceModel, field: FieldModel, row: Row): JsonValue | undefined {
  const stored = row[field.outputIndex]
  if (stored === null || stored === undefined) return undefined
  if (isFileList(field)) return listedFileMembers(resource, field, row, stored)
  return field.file ? fileMember(resource, field, row, stored) : field.decode(stored)
}

/** The value as it is shown in a version of the item with the id: its files stay where they are. */
export function formerValue(
  resource: ResourceModel,
  field: FieldModel,
  { row, id }: { readonly row: Row; readonly id: string },
): JsonValue | undefined {
  const stored = row[field.outputIndex] ?? null
  if (!findFileModel(field) || stored === null) return shownValue(resource, field, row)
  const members = filesIn(field, stored).map((file) => ({
    href: storedFileUri(resource, id, file),
    ...describeStoredFile(file),
  }))
  return isFileList(field) ? members : members[0]
}

/** The files of a list as items show them. */
export function listedFileMembers(resource: ResourceModel, field: FieldModel, row: Row, stored: Stored) {
  return parseStoredFiles(stored).map((file) => ({
    href: listedFileUri(resource, field, row, file.id),
    ...describeStoredFile(file),
  }))
}

/** A file as items show it. */
export function fileMember(resource: ResourceModel, field: FieldModel, row: Row, stored: Stored) {
  const found = parseStoredFile(stored)
  if (!found) throw new Error('The column does not hold a file')
  return { href: fileUri(resource, field, row), ...describeStoredFile(found) }
}
