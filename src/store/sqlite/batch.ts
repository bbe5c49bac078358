/**
 * Group commit: writes that arrive together share one transaction and one wait for the disk, each
 * in its own savepoint, so that one that fails is undone alone. Nothing is answered before the
 * commit is durable.
 */

import type { Statement } from '../sql.ts'
import { StoreTrouble, type Write, type Written } from '../store.ts'
import type { WriteStatements } from '../write-sql.ts'
import { type Program, transaction } from '../writes.ts'
import type { Connection } from './connection.ts'
import { findTrouble, findViolation } from './failure.ts'

export type Task =
  | { readonly kind: 'write'; readonly writes: readonly Write[] }
  /** Kept unless there is one under the name. */
  | { readonly kind: 'secret'; readonly name: string; readonly value: Uint8Array }
  /** Proves that something can be written, and changes nothing. */
  | { readonly kind: 'probe' }

export type Outcome =
  | { readonly kind: 'done'; readonly written: Written }
  | { readonly kind: 'trouble'; readonly trouble: StoreTrouble['trouble']; readonly cause: unknown }
  | { readonly kind: 'bug'; readonly cause: unknown }

/** The outcome of each task, in order. Never throws for what SQLite says. */
export function runBatch(
  connection: Connection,
  statements: WriteStatements,
  tasks: readonly Task[],
): readonly Outcome[] {
  try {
    connection.prepared('begin immediate').run()
    const outcomes = tasks.map((task) => runTask(connection, statements, task))
    connection.prepared('commit').run()
    return outcomes
  } catch (error) {
    const trouble = findTrouble(error) ?? new StoreTrouble('away', 'The commit failed.')
    undo(connection)
    return tasks.map(() => ({ kind: 'trouble', trouble: trouble.trouble, cause: error }))
  }
}

/** A full disk may have rolled back already: then there is nothing to undo, and trying throws. */
function undo(connection: Connection): void {
  if (connection.database.isTransaction) connection.database.exec('rollback')
}

function runTask(connection: Connection, statements: WriteStatements, task: Task): Outcome {
  connection.prepared('savepoint w').run()
  const outcome = attempt(() => perform(connection, statements, task))
  if (!connection.database.isTransaction) throw lostTransaction(outcome)
  const kept = outcome.kind === 'done' && outcome.written.kind === 'done'
  if (!kept) connection.prepared('rollback to w').run()
  connection.prepared('release w').run()
  return outcome
}

/** What is no trouble of the disk concerns this task alone. */
function attempt(perform: () => Written): Outcome {
  try {
    return { kind: 'done', written: perform() }
  } catch (cause) {
    if (findTrouble(cause) !== undefined) throw cause
    return { kind: 'bug', cause }
  }
}

function lostTransaction(outcome: Outcome): StoreTrouble {
  return new StoreTrouble('away', 'The transaction was lost.', { cause: outcome })
}

function perform(connection: Connection, statements: WriteStatements, task: Task): Written {
  switch (task.kind) {
    case 'write':
      return run(connection, transaction(statements, task.writes))
    case 'secret':
      connection
        .prepared('insert into "_secrets" ("name", "value") values (?, ?) on conflict do nothing')
        .run(task.name, task.value)
      return { kind: 'done' }
    case 'probe':
      connection.prepared(`update "_meta" set "value" = "value" where "name" = 'format'`).run()
      return { kind: 'done' }
  }
}

/** Runs the statements a program yields, and hands it their rows, or what they violate. */
function run<Result>(connection: Connection, program: Program<Result>): Result {
  let step = program.next()
  while (!step.done) step = answer(connection, program, step.value)
  return step.value
}

function answer<Result>(connection: Connection, program: Program<Result>, statement: Statement) {
  let rows: ReturnType<Connection['rows']>
  try {
    rows = connection.rows(statement)
  } catch (error) {
    return program.throw(findViolation(error) ?? error)
  }
  return program.next(rows)
}
