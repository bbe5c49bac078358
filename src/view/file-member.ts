/** The member of a representation that describes a file, and the URI of its content. */

import type { FieldModel, JsonValue, ResourceModel, Stored } from '../definition/model.ts'
import { describeStoredFile, parseStoredFile } from '../definition/stored-file.ts'
import { formatPath } from '../http/request-target.ts'
import type { Row } from '../store/row.ts'
import { idOf } from './uri.ts'

/** The URI of the file in a field of an item: `/tasks/{id}/cover`. */
export function fileUri(resource: ResourceModel, { name }: FieldModel, row: Row): string {
  return formatPath(resource.path, [idOf(resource, row), name])
}

/** The value of any field in JSON; undefined where it is absent. A file needs the item for its URI. */
export function shownValue(resource: ResourceModel, field: FieldModel, row: Row): JsonValue | undefined {
  const stored = row[field.outputIndex]
  if (stored === null || stored === undefined) return undefined
  return field.file ? fileMember(resource, field, row, stored) : field.decode(stored)
}

/** A file as items show it. */
export function fileMember(resource: ResourceModel, field: FieldModel, row: Row, stored: Stored) {
  const found = parseStoredFile(stored)
  if (!found) throw new Error('The column does not hold a file')
  return { href: fileUri(resource, field, row), ...describeStoredFile(found) }
}
