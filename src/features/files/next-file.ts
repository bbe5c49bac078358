/** The value of a column when a field gets another file, or when a list gets other files. */

import { randomUUIDv7 } from 'node:crypto'
import type { Principal } from '../../access/principal.ts'
import { type FieldModel, UPDATED_AT } from '../../definition/model.ts'
import {
  formatStoredFile,
  type ListedFile,
  parseStoredFile,
  type StoredFile,
} from '../../definition/stored-file.ts'
import type { AcceptedFile } from '../../requests/context/request-content.ts'
import { type Row, versionOf } from '../../store/row.ts'
import { fileTag } from '../../views/file-validators.ts'
import { fileOwner } from './account-file-quota.ts'

interface FieldBefore {
  /** The row before; undefined where it is new. */
  readonly row: Row | undefined
  readonly field: FieldModel
  readonly storing: Storing
}

/** Who stores a file, and when in milliseconds. */
export interface Storing {
  readonly caller: Principal
  readonly now: number
}

/** The column with the file; the present column where the file is the same. */
export function nextColumn(file: AcceptedFile, { row, field, storing }: FieldBefore): string {
  const present = row?.[field.index]
  const previous = parseStoredFile(present)
  if (previous && isSame(previous, file)) return String(present)
  // A removed file leaves only the time of the change; a new item never had one.
  const changedAt = previous ? previous.at : row && versionOf(row) > 1 ? String(row[UPDATED_AT]) : undefined
  return formatStoredFile(storedNow(file, storing, changedAt))
}

/** The file of a list with other content; the same where it has that content. */
export function replacedFile(previous: ListedFile, file: AcceptedFile, storing: Storing): ListedFile {
  if (isSame(previous, file)) return previous
  return { id: previous.id, ...storedNow(file, storing, previous.at) }
}

/** A new file of a list. */
export function addedFile(file: AcceptedFile, storing: Storing): ListedFile {
  return { id: randomUUIDv7(), ...storedNow(file, storing, undefined) }
}

/** A file that the list of the row had before, with its id. */
export function restoredFile(
  file: AcceptedFile & { readonly id: string },
  row: Row,
  storing: Storing,
): ListedFile {
  return { id: file.id, ...storedNow(file, storing, String(row[UPDATED_AT])) }
}

function isSame(previous: StoredFile, file: AcceptedFile): boolean {
  return fileTag(previous) === fileTag(file)
}

/**
 * The file, stored now. `changedAt` is when its URI last had another file, as far as that is known: of two files of
 * the same second, the date identifies none (RFC 9110 §8.8.2.2).
 */
function storedNow(
  { name, type, size, digest }: AcceptedFile,
  { caller, now }: Storing,
  changedAt: string | undefined,
): StoredFile {
  const at = new Date(now).toISOString()
  const isAmbiguous = changedAt !== undefined && changedAt.slice(0, 19) >= at.slice(0, 19)
  const by = fileOwner(caller)
  const stored = { name, type, size, digest, at, ...(by === undefined ? {} : { by }) }
  return isAmbiguous ? { ...stored, ambiguous: true } : stored
}
