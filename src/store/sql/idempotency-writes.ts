/**
 * Writes beside rows: an answer kept with the effect it tells of, so that neither is ever there
 * without the other; the demand that a table has not changed since it was looked at; and the demand
 * that some row satisfies a condition.
 */

import type { ExpectWrite, RequireWrite, ResponseWrite, WriteRefusal } from '../store.ts'
import { type Dialect, knownTable } from './sql-text.ts'
import {
  ConstraintViolation,
  type StatementProgram,
  type WriteContext,
} from './statement-program.ts'
import { existsStatement } from './write-sql.ts'

/** How many answers whose time is over go with each new one: the table cannot grow for ever. */
const maxExpiredPerWrite = 10

/** Refused where an answer is kept under the name already and its time is not over. */
export function* storeResponse(
  { statements }: WriteContext,
  { name, fingerprint, text, now, until }: ResponseWrite,
): StatementProgram<WriteRefusal | undefined> {
  const { dialect } = statements
  const places = [1, 2, 3, 4].map((n) => dialect.placeholder(n))
  const own = `delete from "_replays" where "name" = ${places[0]} and "until" <= ${places[1]}`
  yield { sql: own, values: [name, now] }
  try {
    yield { sql: insertResponseSql(places), values: [name, fingerprint, text, until] }
  } catch (cause) {
    if (cause instanceof ConstraintViolation) return { kind: 'answered' }
    throw cause
  }
  yield { sql: deleteExpiredSql(dialect, dialect.placeholder(1)), values: [now] }
  return undefined
}

/** The parameters are the name, the fingerprint, the text, and until when it is kept. */
export function insertResponseSql(parameters: readonly string[]): string {
  const columns = '"name", "fingerprint", "answer", "until"'
  return `insert into "_replays" (${columns}) values (${parameters.join(', ')})`
}

/** The parameter is the time. */
export function deleteExpiredSql({ skipLocked }: Dialect, now: string): string {
  const over = `select "name" from "_replays" where "until" <= ${now} order by "until" limit ${maxExpiredPerWrite}${skipLocked}`
  return `delete from "_replays" where "name" in (${over})`
}

export function* expectUnchanged(
  { statements }: WriteContext,
  { table, mark }: ExpectWrite,
): StatementProgram<WriteRefusal | undefined> {
  const [found] = yield { sql: statements.dialect.unchanged, values: [table, mark] }
  return found === undefined ? { kind: 'stale' } : undefined
}

export function* requireRow(
  { statements }: WriteContext,
  { table, condition }: RequireWrite,
): StatementProgram<WriteRefusal | undefined> {
  const [found] = yield existsStatement(statements, knownTable(statements.schema, table), condition)
  return found === undefined ? { kind: 'unmet' } : undefined
}
