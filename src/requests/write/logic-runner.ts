/** The interface through which requests run the code of a definition. A service without logic has no runner. */

import type { Principal } from '../../access/principal.ts'
import type { ActionModel, JsonValue, ResourceModel, Stored } from '../../definition/model.ts'
import type { Condition } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import type { Store } from '../../store/store.ts'
import type { UpdateWrite, Write } from '../../store/write.ts'
import type { FileView } from '../../views/view.ts'

/** Milliseconds of a query in all: its reads and its code. */
export const queryTime = 5000

/** The code reads from the store that each call names. */
export interface LogicRunner {
  /** Begins a run of the `before` hooks, or of an action, for one attempt of a request. */
  begin(store: Store, request: LogicRequest): LogicSession
  /** Refuses 422 with a fault for each check that the record fails. */
  requireChecks(store: Store, caller: Principal, record: CheckedRecord): Promise<void>
  /** Whether a write to an item of the resource may run hooks. */
  runsHooks(resource: ResourceModel): boolean
  /** Whether the deletion of an item of the resource runs hooks. */
  runsDeletionHooks(resource: ResourceModel): boolean
  /**
   * Plans what the deletion of a row changes in other items that have checks. Refuses 422 where one of
   * them would fail a check, and 409 where there are too many.
   */
  planDeletion(store: Store, caller: Principal, deleted: DeletedRow): Promise<DeletionPlan>
}

export interface CheckedRecord {
  readonly resource: ResourceModel
  /** In column order. */
  readonly values: readonly Stored[]
}

export interface DeletedRow {
  readonly resource: ResourceModel
  readonly row: Row
}

/** Who sent a request, and its id. */
export interface LogicRequest {
  readonly caller: Principal
  readonly requestId: string
}

/**
 * The writes of one attempt of a request. Each method runs a hook, with everything that it writes, and
 * then adds the write. Later hooks see the writes of earlier ones. Refuses 403 where the right does not
 * hold, and what a hook refuses; throws a LogicFailure where a hook fails.
 */
export interface LogicSession {
  insert(row: NewRow): Promise<readonly Stored[]>
  replace(row: ReplacedRow): Promise<readonly Stored[]>
  remove(row: RemovedRow): Promise<void>
  /** Runs an action. */
  act(call: ActionCall): Promise<ActionOutcome>
  /** All writes in order, with the reads to repeat. */
  readonly writes: readonly Write[]
  /** The store with these writes, for the response. */
  readonly preview: Store
}

export interface NewRow {
  readonly resource: ResourceModel
  readonly values: readonly Stored[]
  readonly conditionAfter: Condition
  /** The time of the change, for the change log; by default `updatedAt`. */
  readonly loggedAt?: string | undefined
}

export interface ReplacedRow {
  readonly resource: ResourceModel
  readonly row: Row
  readonly values: readonly Stored[]
  readonly action: string | undefined
  /** The right to change the row, before and after. */
  readonly right: Condition
}

export interface RemovedRow {
  readonly resource: ResourceModel
  readonly row: Row
  readonly conditionBefore: Condition
}

/** A use of an action: its item, unless it is on a collection, and its input. */
export interface ActionCall {
  readonly resource: ResourceModel
  readonly action: ActionModel
  /** The item as it was loaded for the request. */
  readonly row: Row | undefined
  readonly input: object
}

export interface ActionOutcome {
  /** The item that the action made and returned, or says that it made. */
  readonly made: MadeItem | undefined
  /** The declared result, if it has one. */
  readonly result: ActionResult | undefined
  /** Where the client should go, in place of both. */
  readonly seeOther: string | undefined
}

/** The value of an action or a query, checked against its declaration. */
export type ActionResult = MembersValue | FileView | ItemIds

export interface MembersValue {
  readonly kind: 'members'
  readonly members: ResourceModel
  readonly values: ResultValues
}

/** The items that a query returned, before the rights of the caller are regarded. */
export interface ItemIds {
  readonly kind: 'items'
  readonly collection: string
  /** In order, each once. */
  readonly ids: readonly string[]
}

/** The members of a result, in the form that items show them. */
export type ResultValues = Readonly<Record<string, JsonValue>>

/** An item that an action created. */
export interface MadeItem {
  readonly resource: ResourceModel
  readonly identity: string
}

/** The changes that a deletion makes in items whose resource has checks. */
export interface DeletionPlan {
  /** Clear the references to deleted rows. */
  readonly writes: readonly UpdateWrite[]
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
