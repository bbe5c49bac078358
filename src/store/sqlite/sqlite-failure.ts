/**
 * Classifies errors of SQLite: a constraint violation, an unavailable store while the service runs,
 * or an error for the operator at its start.
 */

import { ConstraintViolation } from '../sql/statement-program.ts'
import { StoreOpenError, StoreUnavailable } from '../store.ts'

/** Primary result codes of SQLite, the low octet of the extended ones. */
const BUSY = 5
const LOCKED = 6
const NO_MEMORY = 7
const READ_ONLY = 8
const IO_ERROR = 10
const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const PROTOCOL = 15
const NOT_A_DATABASE = 26

/** The extended result code of an index of the log that the disk has no room for. */
const NO_ROOM_FOR_INDEX = 4874

/** Extended result codes of constraints. */
const FOREIGN_KEY = 787
const NOT_NULL = 1299
const PRIMARY_KEY = 1555
const UNIQUE = 2067

/** The extended result code, or undefined where something else than SQLite failed. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

function primaryCodeOf(error: unknown): number | undefined {
  const code = codeOf(error)
  return code === undefined ? undefined : code & 0xff
}

export function isBusy(error: unknown): boolean {
  return primaryCodeOf(error) === BUSY
}

/** Whether the disk has no room for what SQLite opens or writes. */
export function isOutOfRoom(error: unknown): boolean {
  return primaryCodeOf(error) === FULL || codeOf(error) === NO_ROOM_FOR_INDEX
}

/** The constraint violation that caused the error; undefined where none did. */
export function findViolation(error: unknown): ConstraintViolation | undefined {
  switch (codeOf(error)) {
    case UNIQUE:
    case PRIMARY_KEY:
      return new ConstraintViolation('unique', violatedColumns(error as Error), error)
    case FOREIGN_KEY:
      return new ConstraintViolation('reference', undefined, error)
    default:
      return undefined
  }
}

/** From `UNIQUE constraint failed: users.email, users.name`. */
function violatedColumns(error: Error): string[] {
  const qualifiedNames = error.message.slice(error.message.indexOf(': ') + 2).split(', ')
  return qualifiedNames.map((qualifiedName) => qualifiedName.slice(qualifiedName.indexOf('.') + 1))
}

const unavailableMessages: ReadonlyMap<number, string> = new Map([
  [BUSY, 'The database is locked by something else.'],
  [LOCKED, 'The database is locked by something else.'],
  [NO_MEMORY, 'The database has no memory left.'],
  [READ_ONLY, 'The database file cannot be written.'],
  [IO_ERROR, 'The database file could not be read or written.'],
  [CANNOT_OPEN, 'The database file cannot be opened.'],
  [PROTOCOL, 'The database is locked by something else.'],
])

/** A column that must have a value was added by another program. */
const UNKNOWN_COLUMN = 'The tables are no longer those of this definition.'

/** The error as a StoreUnavailable with its reason; undefined where it is a bug. */
export function toStoreUnavailable(error: unknown): StoreUnavailable | undefined {
  if (error instanceof StoreUnavailable) return error
  const code = primaryCodeOf(error)
  if (code === undefined) return undefined
  if (code === FULL) return new StoreUnavailable('full', 'The disk is full.', { cause: error })
  if (code === CORRUPT || code === NOT_A_DATABASE) {
    return new StoreUnavailable('damaged', 'The database file is damaged.', { cause: error })
  }
  if (codeOf(error) === NOT_NULL) return new StoreUnavailable('unfit', UNKNOWN_COLUMN, { cause: error })
  const message = unavailableMessages.get(code)
  return message === undefined ? undefined : new StoreUnavailable('unreachable', message, { cause: error })
}

const openErrorMessages: ReadonlyMap<number | string, string> = new Map<number | string, string>([
  [BUSY, 'is locked by another program. Stop that program first.'],
  [READ_ONLY, 'cannot be written. Let this user write to the file and its folder.'],
  [IO_ERROR, 'could not be read or written. Check the disk for room and errors.'],
  [CORRUPT, 'is damaged. Put a backup in its place; it was left as it is.'],
  [FULL, 'cannot grow: the disk is full. Make room and start again.'],
  [CANNOT_OPEN, 'cannot be opened. Let this user read and write the file and its folder.'],
  [NOT_A_DATABASE, 'is not a SQLite database. Name another file, or move this one away.'],
  ['EACCES', 'cannot be reached: permission denied. Let this user write to its folder.'],
  ['EPERM', 'cannot be reached: permission denied. Let this user write to its folder.'],
  ['EROFS', 'is on a file system that cannot be written. Name a file elsewhere.'],
  ['ENOSPC', 'cannot be made: the disk is full. Make room and start again.'],
  ['ENOTDIR', 'is inside something that is not a folder. Name a file elsewhere.'],
  ['EEXIST', 'is inside something that is not a folder. Name a file elsewhere.'],
  ['EISDIR', 'is a folder. Name a file inside it.'],
])

/** The error of a start as a StoreOpenError for the operator; unexpected errors are returned unchanged. */
export function toOpenError(file: string, error: unknown): unknown {
  if (error instanceof StoreOpenError) return error
  if (error instanceof StoreUnavailable) return openErrorFor(file, error)
  const code = primaryCodeOf(error) ?? (error as NodeJS.ErrnoException | undefined)?.code
  const text = code === undefined ? undefined : openErrorMessages.get(code)
  if (text === undefined) return error
  return new StoreOpenError(`The database file ${file} ${text}`, { cause: error })
}

const codesOfReasons: ReadonlyMap<StoreUnavailable['reason'], number> = new Map([
  ['full', FULL],
  ['damaged', CORRUPT],
])

/** The writer thread's errors lose their codes on the way here. */
function openErrorFor(file: string, unavailable: StoreUnavailable): StoreOpenError {
  const text = openErrorMessages.get(codesOfReasons.get(unavailable.reason) ?? IO_ERROR)
  return new StoreOpenError(`The database file ${file} ${text}`, { cause: unavailable })
}
