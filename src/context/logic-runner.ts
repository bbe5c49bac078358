/** The interface through which requests run the code of a definition. A service without logic has no runner. */

import type { Principal } from '../access/principal.ts'
import type { ResourceModel, Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import type { ReplaceWrite } from '../store/store.ts'

export interface LogicRunner {
  /** Refuses 422 with a fault for each check that a record with these values (in column order) fails. */
  requireChecks(caller: Principal, resource: ResourceModel, values: readonly Stored[]): Promise<void>
  /**
   * Plans what the deletion of a row changes in other items that have checks. Refuses 422 where one of
   * them would fail a check, and 409 where there are too many.
   */
  planDeletion(caller: Principal, resource: ResourceModel, row: Row): Promise<DeletionPlan>
}

/** The changes that a deletion makes in items whose resource has checks. */
export interface DeletionPlan {
  /** Clear the references to deleted rows. */
  readonly writes: readonly ReplaceWrite[]
  /** The tables whose references the writes clear. */
  readonly tables: readonly string[]
}

/** Code of the definition failed: it threw, or it returned a value that it must not return. */
export class LogicFailure extends Error {
  /** The place of the code in the definition, such as `tasks.checks[0]`. */
  readonly hook: string

  constructor(hook: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'LogicFailure'
    this.hook = hook
  }
}
