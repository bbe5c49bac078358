/**
 * Group commit: writes that arrive together share one transaction and one fsync. Results are
 * returned after the commit is durable.
 *
 * A refused write has usually changed nothing, so batches run without savepoints first. Where a
 * refused write has changed something, the batch starts again with a savepoint for each write. See decision 0036.
 */

import type { KeptHistory } from '../../change-log.ts'
import type { Row } from '../../row.ts'
import { applyWrites } from '../../sql/apply-writes.ts'
import { type LoggedAttribution, pruneSql } from '../../sql/change-log-sql.ts'
import { keepStatement, pruneHistoryStatement } from '../../sql/history-sql.ts'
import { type SealedEntries, sealEntries } from '../../sql/seal-audit.ts'
import type { Statement } from '../../sql/sql-text.ts'
import type { ChangedTables, StatementProgram } from '../../sql/statement-program.ts'
import type { WriteStatements } from '../../sql/write-sql.ts'
import { StoreUnavailable } from '../../store.ts'
import type { Write, WriteOutcome } from '../../write.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'
import { findViolation, toStoreUnavailable } from '../sqlite-failure.ts'

export type Task =
  | { readonly kind: 'write'; readonly writes: readonly Write[]; readonly attribution: LoggedAttribution }
  /** Deletes the entries of the change log up to a position, except for what histories keep. */
  | { readonly kind: 'prune'; readonly through: number; readonly kept: readonly KeptHistory[] }
  | { readonly kind: 'prune-history'; readonly kept: readonly KeptHistory[]; readonly limit: number }
  /** Continues the chain of the audit. */
  | { readonly kind: 'seal'; readonly entries: SealedEntries }
  /** Statements of the audit. */
  | { readonly kind: 'run'; readonly statements: readonly Statement[] }
  /** Stored in the place of the present one, or where there is none. */
  | {
      readonly kind: 'secret'
      readonly name: string
      readonly value: Uint8Array
      readonly present: Uint8Array | undefined
    }
  /** Takes the lock with this name for so many milliseconds; refused as stale where another has it. */
  | { readonly kind: 'take-lock'; readonly name: string; readonly holder: string; readonly lease: number }
  | { readonly kind: 'release-lock'; readonly name: string; readonly holder: string }
  /** Proves that the file can be written. */
  | { readonly kind: 'probe' }
  /** Reports a damaged file, as a check or a single read has found it. The writer looks for it before each batch. */
  | { readonly kind: 'damage'; readonly finding: string; readonly foundBy: 'check' | 'read' }

export type TaskOutcome =
  | { readonly kind: 'done'; readonly written: WriteOutcome }
  | {
      readonly kind: 'unavailable'
      readonly reason: StoreUnavailable['reason']
      readonly cause: unknown
    }
  | { readonly kind: 'bug'; readonly cause: unknown }

/** The state that the tasks of a batch share. */
interface WriteBatch {
  readonly connection: SqliteConnection
  readonly statements: WriteStatements
  readonly protection: 'none' | 'savepoints'
  /** By table: changes that its revision does not count yet. */
  readonly revisionIncrements: Map<string, RevisionIncrement>
}

interface RevisionIncrement {
  readonly all: number
  /** Of those, the ones that some readers of the rows do not see. */
  readonly hidden: number
}

/** A task without a savepoint changed something and then failed. */
class PartialWrite extends Error {
  constructor() {
    super('A partial write must be rolled back')
    this.name = 'PartialWrite'
  }
}

/** Runs the tasks in one transaction; returns their outcomes in order. Errors of SQLite are outcomes. */
export function runBatch(
  connection: SqliteConnection,
  statements: WriteStatements,
  tasks: readonly Task[],
): readonly TaskOutcome[] {
  const batch = { connection, statements }
  try {
    return (
      tryWithoutSavepoints({ ...batch, protection: 'none', revisionIncrements: new Map() }, tasks) ??
      commitTasks({ ...batch, protection: 'savepoints', revisionIncrements: new Map() }, tasks)
    )
  } catch (error) {
    const reason = toStoreUnavailable(error) ?? new StoreUnavailable('unreachable', 'The commit failed.')
    rollBack(connection)
    return tasks.map(() => ({ kind: 'unavailable', reason: reason.reason, cause: error }))
  }
}

/** Undefined where a refused task had changed something; then the batch was rolled back. */
function tryWithoutSavepoints(batch: WriteBatch, tasks: readonly Task[]): readonly TaskOutcome[] | undefined {
  try {
    return commitTasks(batch, tasks)
  } catch (error) {
    if (!(error instanceof PartialWrite)) throw error
    rollBack(batch.connection)
    return undefined
  }
}

function commitTasks(batch: WriteBatch, tasks: readonly Task[]): readonly TaskOutcome[] {
  const { connection } = batch
  connection.cachedStatement('begin immediate').run()
  const outcomes = tasks.map((task) => runTask(batch, task))
  writeRevisions(batch)
  connection.commit()
  return outcomes
}

/** SQLite may have rolled back already, for example on a full disk. */
function rollBack(connection: SqliteConnection): void {
  if (connection.database.isTransaction) connection.database.exec('rollback')
}

/** The effects of a task so far. */
interface TaskEffects {
  readonly changed: ChangedTables
  /** Whether a statement has changed something. */
  hasModified: boolean
}

function runTask(batch: WriteBatch, task: Task): TaskOutcome {
  const { connection, protection } = batch
  if (readsRevisions(task)) writeRevisions(batch)
  const effects: TaskEffects = { changed: new Map(), hasModified: false }
  if (protection === 'savepoints') connection.cachedStatement('savepoint w').run()
  const outcome = toTaskOutcome(() => perform(batch, effects, task))
  if (!connection.database.isTransaction) throw lostTransactionError(outcome)
  const kept = outcome.kind === 'done' && outcome.written.kind === 'done'
  if (kept) countRevisions(batch, effects)
  else if (protection === 'savepoints') connection.cachedStatement('rollback to w').run()
  else if (effects.hasModified) throw new PartialWrite()
  if (protection === 'savepoints') connection.cachedStatement('release w').run()
  return outcome
}

/** An unavailable store ends the batch; a table that no longer fits, or a bug, fails one task. */
function toTaskOutcome(performTask: () => WriteOutcome): TaskOutcome {
  try {
    return { kind: 'done', written: performTask() }
  } catch (cause) {
    const reason = toStoreUnavailable(cause)?.reason
    if (reason === undefined) return { kind: 'bug', cause }
    if (reason === 'unfit') return { kind: 'unavailable', reason, cause }
    throw cause
  }
}

function lostTransactionError(outcome: TaskOutcome): StoreUnavailable {
  return new StoreUnavailable('unreachable', 'The transaction was lost.', { cause: outcome })
}

/** Only tasks with an expectation read revisions within a batch, so each is updated once before them. */
function writeRevisions({ connection, revisionIncrements }: WriteBatch): void {
  const sql =
    'update "_collections" set "revision" = "revision" + ?, "hidden" = "hidden" + ? where "name" = ?'
  for (const [table, { all, hidden }] of revisionIncrements) {
    connection.cachedStatement(sql).run(all, hidden, table)
  }
  revisionIncrements.clear()
}

function countRevisions({ revisionIncrements }: WriteBatch, { changed }: TaskEffects): void {
  for (const [table, isPublic] of changed) {
    const { all, hidden } = revisionIncrements.get(table) ?? { all: 0, hidden: 0 }
    revisionIncrements.set(table, { all: all + 1, hidden: hidden + (isPublic ? 0 : 1) })
  }
}

function readsRevisions(task: Task): boolean {
  return task.kind === 'write' && task.writes.some(({ kind }) => kind === 'expect' || kind === 'repeat')
}

const deleteThroughSql = pruneSql(sqliteDialect)

function perform(batch: WriteBatch, effects: TaskEffects, task: Task): WriteOutcome {
  const { connection, statements } = batch
  switch (task.kind) {
    case 'write': {
      const { attribution } = task
      const context = { statements, attribution, changed: effects.changed, lastRows: new Set<string>() }
      return runProgram(connection, effects, applyWrites(context, task.writes))
    }
    case 'prune':
      keepHistory(connection, task)
      connection.cachedStatement(deleteThroughSql).run(task.through)
      return { kind: 'done' }
    case 'prune-history':
      runChange(connection, pruneHistoryStatement(sqliteDialect, task.kept, task.limit))
      return { kind: 'done' }
    case 'seal':
      runProgram(connection, effects, sealEntries(sqliteDialect, task.entries))
      return { kind: 'done' }
    case 'run':
      for (const statement of task.statements) runChange(connection, statement)
      return { kind: 'done' }
    case 'secret':
      replaceSecret(connection, task)
      return { kind: 'done' }
    case 'take-lock':
      return takeLock(task)
    case 'release-lock':
      if (locks.get(task.name)?.holder === task.holder) locks.delete(task.name)
      return { kind: 'done' }
    case 'probe':
      connection.probe()
      return { kind: 'done' }
    case 'damage':
      return { kind: 'done' }
  }
}

function replaceSecret(
  { database }: SqliteConnection,
  { name, value, present }: Extract<Task, { kind: 'secret' }>,
): void {
  if (present === undefined) {
    const sql = 'insert into "_secrets" ("name", "value") values (?, ?) on conflict do nothing'
    database.prepare(sql).run(name, value)
    return
  }
  // The page must not keep the octets of a secret that is encrypted from now on.
  database.exec('pragma secure_delete = on')
  try {
    const sql = 'update "_secrets" set "value" = ? where "name" = ? and "value" = ?'
    database.prepare(sql).run(value, name, present)
  } finally {
    database.exec('pragma secure_delete = off')
  }
}

function keepHistory(
  connection: SqliteConnection,
  { through, kept }: Extract<Task, { kind: 'prune' }>,
): void {
  const keeping = keepStatement(sqliteDialect, through, kept)
  if (keeping) runChange(connection, keeping)
}

/** The locks that processes hold now. A thread that starts again has none: these locks only save attempts. */
const locks = new Map<string, { readonly holder: string; readonly until: number }>()

function takeLock({ name, holder, lease }: Extract<Task, { kind: 'take-lock' }>): WriteOutcome {
  const now = performance.now()
  const present = locks.get(name)
  if (present && present.until > now) return { kind: 'refused', index: 0, reason: { kind: 'stale' } }
  locks.set(name, { holder, until: now + lease })
  return { kind: 'done' }
}

/** Runs the statements that the generator yields, and passes it their rows or violations. */
function runProgram<Result>(
  connection: SqliteConnection,
  effects: TaskEffects,
  program: StatementProgram<Result>,
): Result {
  let step = program.next()
  while (!step.done) step = runStatement(connection, effects, program, step.value)
  return step.value
}

/** SQLite has rolled back a failed statement itself. */
function runStatement<Result>(
  connection: SqliteConnection,
  effects: TaskEffects,
  program: StatementProgram<Result>,
  statement: Statement,
) {
  let rows: readonly Row[]
  try {
    rows = isQuery(statement) ? connection.rows(statement) : runChange(connection, statement)
  } catch (error) {
    return program.throw(findViolation(error) ?? error)
  }
  if (rows === changed) effects.hasModified = true
  return program.next(rows)
}

const changed: readonly Row[] = [[1]]
const unchanged: readonly Row[] = []

function runChange(connection: SqliteConnection, { sql, values }: Statement): readonly Row[] {
  return connection.cachedStatement(sql).run(...values).changes === 0 ? unchanged : changed
}

/** No statement uses `with` before anything except `select`. */
function isQuery({ sql }: Statement): boolean {
  return sql.startsWith('select ') || sql.startsWith('with ')
}
