/**
 * Classifies errors of PostgreSQL by SQLSTATE: a constraint violation, a conflict to retry, or an
 * unavailable store.
 */

import pg from 'pg'
import { ConstraintViolation } from '../sql/statement-program.ts'
import { StoreOpenError, StoreUnavailable } from '../store.ts'

const UNIQUE = '23505'
const FOREIGN_KEY = '23503'
const DISK_FULL = '53100'
const CANCELED = '57014'
/** data_corrupted and index_corrupted. */
const damageStates: ReadonlySet<string> = new Set(['XX001', 'XX002'])

/** The transaction was rolled back because of another one; a retry may succeed. */
const conflictStates: ReadonlySet<string> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
])

const unavailableMessages: ReadonlyMap<string, string> = new Map([
  ['25006', 'The database cannot be written: it is a standby, or set to read only.'],
  ['53200', 'The database has no memory left.'],
  ['53300', 'The database accepts no more connections.'],
  // Another node has migrated the tables to another definition.
  ['42703', 'The tables are no longer those of this definition.'],
  ['42P01', 'The tables are no longer those of this definition.'],
  // not_null_violation: a required column that this definition does not have.
  ['23502', 'The tables are no longer those of this definition.'],
  ['0A000', 'The tables have just been changed.'],
])

/** Classes of SQLSTATE that mean the connection or the server, not the statement. */
const unavailableClasses: ReadonlyMap<string, string> = new Map([
  ['08', 'The connection to the database was lost.'],
  ['28', 'The database refuses this user.'],
  ['3D', 'The database does not exist.'],
  ['53', 'The database is short of resources.'],
  ['57', 'The database is shutting down or starting.'],
  ['58', 'The database could not read or write its files.'],
  ['XX', 'The database has an internal error.'],
])

/** The SQLSTATE, or undefined where something else than the server failed. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The constraint violation that caused the error; undefined where none did. */
export function findViolation(
  error: unknown,
  columnsOf: (constraint: string) => readonly string[] | undefined,
): ConstraintViolation | undefined {
  const state = sqlStateOf(error)
  if (state === UNIQUE) {
    const { constraint, detail } = error as pg.DatabaseError
    return new ConstraintViolation('unique', columnsOf(constraint ?? '') ?? columnsIn(detail), error)
  }
  return state === FOREIGN_KEY ? new ConstraintViolation('reference', undefined, error) : undefined
}

/** For an index of another program, from `Key (title, author)=(x, y) already exists.` */
function columnsIn(detail: string | undefined): readonly string[] | undefined {
  const [, columns] = /^[^(]*\(([^)]*)\)=\(/.exec(detail ?? '') ?? []
  return columns?.split(', ').map((name) => name.replace(/^"(.*)"$/, '$1'))
}

/**
 * Whether the transaction was rolled back and may be retried. An unexpected constraint violation
 * counts: another write added a reference to a row that was being deleted.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof ConstraintViolation || conflictStates.has(sqlStateOf(error) ?? '')
}

/** The error as a StoreUnavailable with its reason; undefined where it is a bug. */
export function toStoreUnavailable(error: unknown): StoreUnavailable | undefined {
  if (error instanceof StoreUnavailable) return error
  if (error instanceof ConstraintViolation) return unreachable('Concurrent writes prevented this one.', error)
  const state = sqlStateOf(error)
  if (state === undefined) return undefined
  if (state === DISK_FULL) {
    return new StoreUnavailable('full', 'The disk of the database is full.', { cause: error })
  }
  if (state === CANCELED) {
    return new StoreUnavailable('slow', 'The statement took too long.', { cause: error })
  }
  if (damageStates.has(state)) {
    return new StoreUnavailable('damaged', 'The database is damaged.', { cause: error })
  }
  if (conflictStates.has(state)) return unreachable('Concurrent writes prevented this one.', error)
  const message = unavailableMessages.get(state) ?? unavailableClasses.get(state.slice(0, 2))
  return message === undefined ? undefined : unreachable(message, error)
}

/** A StoreUnavailable with the reason `unreachable`. */
export function unreachable(message: string, cause?: unknown): StoreUnavailable {
  return new StoreUnavailable('unreachable', message, { cause })
}

/** The error of a start as a StoreOpenError for the operator; unexpected errors are returned unchanged. */
export function toOpenError(displayUrl: string, error: unknown): unknown {
  if (error instanceof StoreOpenError) return error
  const unavailable = toStoreUnavailable(error)
  if (unavailable === undefined) return error
  const { message, cause } = unavailable
  const detail = cause instanceof Error ? ` (${cause.message})` : ''
  return new StoreOpenError(`The database ${displayUrl} cannot be used. ${message}${detail}`, {
    cause: error,
  })
}

/** Rejects with a StoreUnavailable if the error means that. */
export async function translateErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toStoreUnavailable(error) ?? error
  }
}
