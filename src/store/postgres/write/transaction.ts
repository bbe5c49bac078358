/**
 * Performs writes in transactions. Most read only the rows they lock and change, and run as read
 * committed; writes whose conditions look at other rows run serializable. A transaction that failed
 * because of another is retried from its beginning. See decision 0020.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { Condition } from '../../condition.ts'
import type { Row } from '../../row.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { applyWrites } from '../../sql/apply-writes.ts'
import type { LoggedAttribution } from '../../sql/change-log-sql.ts'
import { mayTakeLastRow } from '../../sql/last-row.ts'
import { tablesToLock } from '../../sql/repeat-reads.ts'
import { knownTable, quoted, type Statement } from '../../sql/sql-text.ts'
import { ConstraintViolation, type StatementProgram } from '../../sql/statement-program.ts'
import type { WriteStatements } from '../../sql/write-sql.ts'
import { withCalls } from '../../with-calls.ts'
import type { Write, WriteOutcome, WrittenRow } from '../../write.ts'
import type { PostgresConnection, PostgresQuery } from '../connection/connection.ts'
import type { Pool } from '../connection/pool.ts'
import { postgresDialect } from '../postgres-dialect.ts'
import { findViolation, isConflict, toStoreUnavailable } from '../postgres-failure.ts'
import { findInsertBatch, insertBatchStatement } from './insert-statement.ts'
import { findReplacements, replacementStatement } from './replace-statement.ts'
import { rowLocks } from './row-locks.ts'

/** How often a transaction is tried when others make it fail. */
const maxAttempts = 12

/** With savepoints, a transaction can continue after a constraint violation and find its reason. */
type AttemptMode = 'plain' | 'savepoints'

export interface WriteDependencies {
  readonly pool: Pool
  readonly statements: WriteStatements
  columnsOf(constraint: string): readonly string[] | undefined
}

/** The writes of a transaction and who makes them. */
export interface WriteTransaction {
  readonly writes: readonly Write[]
  readonly attribution: LoggedAttribution
}

/** Applies the writes completely or not at all. Throws StoreUnavailable where the outcome is unknown. */
export async function performWrites(
  dependencies: WriteDependencies,
  transaction: WriteTransaction,
): Promise<WriteOutcome> {
  let mode: AttemptMode = 'plain'
  for (let tries = 1; ; tries += 1) {
    try {
      return await dependencies.pool.use((connection) =>
        performOnce(dependencies, connection, transaction, mode),
      )
    } catch (error) {
      if (!isConflict(error) || tries === maxAttempts) throw toStoreUnavailable(error) ?? error
      if (error instanceof ConstraintViolation && mode === 'plain') mode = 'savepoints'
      else await pause(Math.random() * 2 ** Math.min(tries, 7))
    }
  }
}

async function performOnce(
  dependencies: WriteDependencies,
  connection: PostgresConnection,
  transaction: WriteTransaction,
  mode: AttemptMode,
): Promise<WriteOutcome> {
  const { writes, attribution } = transaction
  const { schema } = dependencies.statements
  const batch = mode === 'plain' ? findInsertBatch(schema, writes) : undefined
  if (batch !== undefined) {
    await runSingleStatement(dependencies, connection, insertBatchStatement(batch, attribution))
    return { kind: 'done' }
  }
  const isolation = isolationOf(schema, writes)
  const independent = mode === 'plain' && isolation === 'read committed'
  if (independent && (await tryReplaceRow(dependencies, connection, transaction))) return { kind: 'done' }
  await connection.run(`begin isolation level ${isolation}`)
  const outcome = await applyOpen(dependencies, connection, transaction, mode)
  if (outcome.kind === 'done') await connection.commit()
  else await connection.run('rollback')
  return outcome
}

/** Applies the writes in the open transaction, which an error rolls back. */
function applyOpen(
  dependencies: WriteDependencies,
  connection: PostgresConnection,
  { writes, attribution }: WriteTransaction,
  mode: AttemptMode,
): Promise<WriteOutcome> {
  const { statements } = dependencies
  return rollBackOnError(connection, async () => {
    await lockTables(connection, statements.schema, writes)
    for (const statement of rowLocks(statements.schema, writes)) await connection.rows(statement)
    const context = { statements, attribution, changed: new Map(), lastRows: new Set<string>() }
    return runProgram(dependencies, connection, applyWrites(context, writes), mode)
  })
}

/** Whether the writes were changes of one row that succeeded; otherwise `applyWrites` finds the reason. */
async function tryReplaceRow(
  dependencies: WriteDependencies,
  connection: PostgresConnection,
  transaction: WriteTransaction,
): Promise<boolean> {
  const queries = replacementsOf(dependencies, transaction)
  const [first] = queries
  if (first === undefined) return false
  if (queries.length === 1) return (await runSingleStatement(dependencies, connection, first)).length > 0
  await connection.run(beginReadCommitted)
  return replaceRow(dependencies, connection, queries)
}

const beginReadCommitted = 'begin isolation level read committed'

/** The statements of writes that only change one row; none for other writes. */
function replacementsOf(
  { statements }: WriteDependencies,
  { writes, attribution }: WriteTransaction,
): readonly Statement[] {
  const replacements = findReplacements(statements.schema, writes) ?? []
  return replacements.map((one) => replacementStatement(statements, one, attribution))
}

/** Runs the statements in one packet and commits where each has changed the row; otherwise rolls back. */
async function replaceRow(
  dependencies: WriteDependencies,
  connection: PostgresConnection,
  queries: readonly Statement[],
): Promise<boolean> {
  const changed = await rollBackOnError(connection, () =>
    Promise.all(
      connection.sendTogether(() => queries.map((query) => attempt(dependencies, connection, query))),
    ),
  )
  const isDone = changed.every((rows) => rows.length > 0)
  if (isDone) await connection.commit()
  else await connection.run('rollback')
  return isDone
}

/** A row lock that a transaction holds until the first writes. */
export interface HeldRowLock {
  /** Only the connection of the transaction: writers that wait for the lock may have all others. */
  readonly pool: Pool
  /** The first writes are committed in the transaction where they succeed in it; others, and later ones, after it. */
  write(transaction: WriteTransaction): Promise<WriteOutcome>
}

/** Runs the work while a transaction holds a lock on the row, which other writers of it wait for. */
export function withRowLock<Result>(
  dependencies: WriteDependencies,
  { table, identity }: WrittenRow,
  work: (lock: HeldRowLock) => Promise<Result>,
): Promise<Result> {
  const { name } = knownTable(dependencies.statements.schema, table)
  const sql = `select 1 from ${quoted(name)} _t where "_identity" = $1${postgresDialect.shareRow}`
  return dependencies.pool.use(async (connection) => {
    const pool = withCalls(dependencies.pool, { use: (perform) => perform(connection) })
    await connection.run(beginReadCommitted)
    await rollBackOnError(connection, () => connection.rows({ sql, values: [identity] }))
    let isOpen = true
    const write = async (transaction: WriteTransaction): Promise<WriteOutcome> => {
      const isFirst = isOpen
      isOpen = false
      if (isFirst && (await tryCommit(dependencies, connection, transaction))) return { kind: 'done' }
      return performWrites({ ...dependencies, pool }, transaction)
    }
    try {
      return await work({ pool, write })
    } finally {
      if (isOpen) await connection.run('rollback').catch(() => connection.discard())
    }
  })
}

/** Whether the writes are committed in the open transaction; otherwise it was rolled back. */
async function tryCommit(
  dependencies: WriteDependencies,
  connection: PostgresConnection,
  transaction: WriteTransaction,
): Promise<boolean> {
  const queries = replacementsOf(dependencies, transaction)
  const isIndependent = isolationOf(dependencies.statements.schema, transaction.writes) === 'read committed'
  try {
    if (queries.length > 0 && isIndependent) return await replaceRow(dependencies, connection, queries)
    const outcome = isIndependent && (await applyOpen(dependencies, connection, transaction, 'plain'))
    const isDone = outcome && outcome.kind === 'done'
    if (isDone) await connection.commit()
    else await connection.run('rollback')
    return isDone
  } catch (error) {
    if (isConflict(error)) return false
    throw toStoreUnavailable(error) ?? error
  }
}

/** Runs a statement as its own transaction. Throws a ConstraintViolation if the statement violates one. */
async function runSingleStatement(
  dependencies: WriteDependencies,
  connection: PostgresConnection,
  query: PostgresQuery,
): Promise<readonly Row[]> {
  const rows = await attempt(dependencies, connection, query)
  connection.requireReplicated()
  return rows
}

/**
 * Locks the tables that must not change until the transaction ends, and the others that it writes: in
 * alphabetical order, to avoid deadlocks, and before the snapshot in which they are compared.
 */
async function lockTables(
  connection: PostgresConnection,
  schema: Schema,
  writes: readonly Write[],
): Promise<void> {
  const unchanged = new Set(writes.flatMap((write) => tablesToKeep(schema, write)))
  if (unchanged.size === 0) return
  const written = writes.flatMap((write) => ('table' in write ? [write.table] : []))
  for (const name of new Set([...unchanged, ...written].toSorted())) {
    const mode = unchanged.has(name) ? 'share row exclusive' : 'row exclusive'
    await connection.run(`lock table ${quoted(name)} in ${mode} mode`)
  }
}

function tablesToKeep(schema: Schema, write: Write): readonly string[] {
  if (write.kind === 'expect') return [write.table]
  return write.kind === 'repeat' ? [...tablesToLock(schema, write)] : []
}

/** Rolls back on an error; discards the connection if that fails too. */
async function rollBackOnError<Result>(connection: PostgresConnection, work: () => Promise<Result>) {
  try {
    return await work()
  } catch (error) {
    if (!connection.broken) await connection.run('rollback').catch(() => connection.discard())
    throw error
  }
}

/** Runs the statements that a program yields, and passes their rows or constraint violations to it. */
async function runProgram<Result>(
  dependencies: WriteDependencies,
  connection: PostgresConnection,
  program: StatementProgram<Result>,
  mode: AttemptMode,
): Promise<Result> {
  let step = program.next()
  while (!step.done) {
    if (mode === 'savepoints') await connection.run('savepoint w')
    const rows = await rowsOrViolation(dependencies, connection, step.value)
    if (rows instanceof ConstraintViolation) {
      if (mode === 'plain') throw rows
      await connection.run('rollback to savepoint w')
      step = program.throw(rows)
    } else {
      step = program.next(rows)
    }
  }
  return step.value
}

async function rowsOrViolation(
  dependencies: WriteDependencies,
  connection: PostgresConnection,
  statement: Statement,
): Promise<readonly Row[] | ConstraintViolation> {
  try {
    return await attempt(dependencies, connection, statement)
  } catch (error) {
    if (error instanceof ConstraintViolation) return error
    throw error
  }
}

async function attempt(
  { columnsOf }: WriteDependencies,
  connection: PostgresConnection,
  query: PostgresQuery,
): Promise<readonly Row[]> {
  try {
    return await connection.rows(query)
  } catch (error) {
    throw findViolation(error, columnsOf) ?? error
  }
}

/**
 * A write that reads only the row it locks needs no serializable isolation. A write whose conditions
 * look at other rows, or whose deletion affects referring rows, does. So does one that may take the last
 * row of the schema: otherwise two writers that each leave the other's row would both succeed.
 */
function isolationOf(schema: Schema, writes: readonly Write[]): string {
  const isSerial = writes.some((write) => readsOtherRows(schema, write) || mayTakeLastRow(schema, write))
  return isSerial ? 'serializable' : 'read committed'
}

function readsOtherRows(schema: Schema, write: Write): boolean {
  switch (write.kind) {
    case 'insert':
      return looksAtOtherRows(write.conditionAfter)
    case 'update':
      return looksAtOtherRows(write.conditionBefore) || looksAtOtherRows(write.conditionAfter)
    case 'delete':
      return looksAtOtherRows(write.conditionBefore) || isReferredTo(schema, write.table)
    // Otherwise two writers that each read the other's row would both succeed.
    case 'require':
      return true
    case 'expect':
    // The tables and rows that it reads are locked.
    case 'repeat':
    case 'response':
    case 'record':
      return false
  }
}

function looksAtOtherRows(condition: Condition): boolean {
  switch (condition.kind) {
    case 'always':
    case 'never':
      return false
    case 'compare':
      return condition.path.length > 1
    case 'reference':
    case 'exists':
    case 'search':
    case 'derived':
      return true
    case 'equal-columns':
      return condition.paths.some((path) => path.length > 1)
    case 'not':
      return looksAtOtherRows(condition.of)
    case 'all':
    case 'any':
      return condition.of.some(looksAtOtherRows)
  }
}

function isReferredTo(schema: Schema, name: string): boolean {
  const target = knownTable(schema, name).name
  return Object.values(schema.tables).some((table) =>
    table.columns.some(({ references, elements }) => (references ?? elements)?.table === target),
  )
}
