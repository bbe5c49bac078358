/** Generators that both drivers run: each yields statements and receives the rows they return. */

import type { Row } from '../row.ts'
import type { MaybePromise } from '../store.ts'
import type { LoggedAttribution } from './change-log-sql.ts'
import type { Statement } from './sql-text.ts'
import type { WriteStatements } from './write-sql.ts'

export type StatementProgram<Result> = Generator<Statement, Result, readonly Row[]>

/** Runs a program whose statements violate no constraint. */
export async function runQueries<Result>(
  program: StatementProgram<Result>,
  rows: (statement: Statement) => MaybePromise<readonly Row[]>,
): Promise<Result> {
  let step = program.next()
  while (!step.done) step = program.next(await rows(step.value))
  return step.value
}

/** A constraint of the database refused a statement. */
export class ConstraintViolation extends Error {
  readonly kind: 'unique' | 'reference'
  /** Undefined where the database does not report them. */
  readonly columns: readonly string[] | undefined

  constructor(kind: 'unique' | 'reference', columns: readonly string[] | undefined, cause: unknown) {
    super(`A ${kind} constraint does not hold`, { cause })
    this.name = 'ConstraintViolation'
    this.kind = kind
    this.columns = columns
  }
}

/** The statements of a transaction, who makes its changes, and what it has changed. */
export interface WriteContext {
  readonly statements: WriteStatements
  readonly attribution: LoggedAttribution
  readonly changed: ChangedTables
  /** Identities of rows that may have been the last row of the schema. */
  readonly lastRows: Set<string>
}

/** By table: whether every reader of the changed rows sees a change of them. */
export type ChangedTables = Map<string, boolean>

/** Adds a change of the table. */
export function addChange(changed: ChangedTables, table: string, isPublic: boolean): void {
  changed.set(table, isPublic || changed.get(table) === true)
}
