/**
 * Writes that change no row of a collection: storing the response to a request with an
 * Idempotency-Key, expecting that a table is unchanged, and requiring a row that satisfies a
 * condition.
 */

import type { ExpectUnchanged, RequireRow, ResponseWrite, WriteRefusal } from '../write.ts'
import { type Dialect, knownTable } from './sql-text.ts'
import { ConstraintViolation, type StatementProgram, type WriteContext } from './statement-program.ts'
import { existsStatement } from './write-sql.ts'

/** How many expired responses each new one deletes, so that the table stays bounded. */
const maxExpiredPerWrite = 10

/** Refused as `response-exists` where an unexpired response is stored under the name. */
export function* storeResponse(
  { statements }: WriteContext,
  { name, fingerprint, text, now, until }: ResponseWrite,
): StatementProgram<WriteRefusal | undefined> {
  const { dialect } = statements
  const parameters = [1, 2, 3, 4].map((n) => dialect.placeholder(n))
  const own = `delete from "_replays" where "name" = ${parameters[0]} and "until" <= ${parameters[1]}`
  yield { sql: own, values: [name, now] }
  try {
    yield { sql: insertResponseSql(parameters), values: [name, fingerprint, text, until] }
  } catch (cause) {
    if (cause instanceof ConstraintViolation) return { kind: 'response-exists' }
    throw cause
  }
  yield { sql: deleteExpiredSql(dialect, dialect.placeholder(1)), values: [now] }
  return undefined
}

/** Parameters: the name, the fingerprint, the text and the time of expiry. */
export function insertResponseSql(parameters: readonly string[]): string {
  const columns = '"name", "fingerprint", "answer", "until"'
  return `insert into "_replays" (${columns}) values (${parameters.join(', ')})`
}

/** Parameter: the present time. */
export function deleteExpiredSql({ skipLocked }: Dialect, now: string): string {
  const over = `select "name" from "_replays" where "until" <= ${now} order by "until" limit ${maxExpiredPerWrite}${skipLocked}`
  return `delete from "_replays" where "name" in (${over})`
}

/** Refused as `stale` where the table has changed since the state was read. */
export function* checkUnchanged(
  { statements }: WriteContext,
  { table, state }: ExpectUnchanged,
): StatementProgram<WriteRefusal | undefined> {
  const [found] = yield { sql: statements.dialect.selectUnchangedTable, values: [table, state] }
  return found === undefined ? { kind: 'stale' } : undefined
}

/** Refused as `no-required-row` where no row satisfies the condition. */
export function* requireRow(
  { statements }: WriteContext,
  { table, condition }: RequireRow,
): StatementProgram<WriteRefusal | undefined> {
  const [found] = yield existsStatement(statements, knownTable(statements.schema, table), condition)
  return found === undefined ? { kind: 'no-required-row' } : undefined
}
