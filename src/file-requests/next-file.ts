/** The value of a column when a field gets another file. */

import type { AcceptedFile } from '../context/request-content.ts'
import { type FieldModel, UPDATED_AT } from '../definition/model.ts'
import { formatStoredFile, parseStoredFile, type StoredFile } from '../definition/stored-file.ts'
import { type Row, versionOf } from '../store/row.ts'
import { fileTag } from '../view/file-validators.ts'

interface FieldBefore {
  /** The row before; undefined where it is new. */
  readonly row: Row | undefined
  readonly field: FieldModel
  readonly now: number
}

/** The column with the file; the present column where the file is the same. */
export function nextColumn(file: AcceptedFile, before: FieldBefore): string {
  const { row, field } = before
  const present = row?.[field.index]
  const previous = parseStoredFile(present)
  const next = nextStoredFile(file, before)
  const isSame = previous !== undefined && fileTag(previous) === fileTag(next)
  return isSame ? String(present) : formatStoredFile(next)
}

/** The file, stored now. */
function nextStoredFile(
  { name, type, size, digest }: AcceptedFile,
  { row, field, now }: FieldBefore,
): StoredFile {
  const at = new Date(now).toISOString()
  const isAmbiguous = row !== undefined && hadFileIn(at, row, field)
  return { name, type, size, digest, at, ...(isAmbiguous ? { ambiguous: true } : {}) }
}

/**
 * Whether the field may have had another file in the same second (RFC 9110 §8.8.2.2). A removed file
 * leaves only the time of the change; a new item never had one.
 */
function hadFileIn(at: string, row: Row, field: FieldModel): boolean {
  const previous = parseStoredFile(row[field.index])
  const changedAt = previous ? previous.at : versionOf(row) > 1 ? String(row[UPDATED_AT]) : ''
  return changedAt.slice(0, 19) >= at.slice(0, 19)
}
