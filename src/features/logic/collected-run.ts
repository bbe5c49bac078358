/** The part of a run (logic-run.ts) that hooks, actions and collections use. */

import type { Principal } from '../../access/principal.ts'
import type { ResourceModel, Stored } from '../../definition/model.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { LogicRequest, LogicSession, MadeItem } from '../../requests/write/logic-runner.ts'
import type { CollectedWrite } from '../../store/collecting-store.ts'
import type { Condition } from '../../store/condition.ts'
import type { Store } from '../../store/store.ts'
import type { LogicRecord, RecordReader } from './logic-records.ts'

/** The parts of the service that logic needs. */
export type LogicContext = Pick<
  ServiceContext,
  'model' | 'store' | 'clock' | 'cursors' | 'observe' | 'files' | 'codeTool'
>

/** The code whose writes need the credential of its user: an action, or a program that acts for a caller. */
export type RunningCode = RunningAction | RunningProgram

/** An action, and the resource that declares it. */
export interface RunningAction {
  readonly kind: 'action'
  readonly resource: ResourceModel
  readonly name: string
  /** Who used it; undefined: an account or a token that is gone by now. */
  readonly user: Principal | undefined
}

/** A program outside of the definition. */
export interface RunningProgram {
  readonly kind: 'program'
  /** The caller that it acts for. */
  readonly user: Principal
}

export interface CollectedRun extends LogicSession {
  /** The service as code reads it: its store records each read. */
  readonly service: LogicContext
  readonly store: Store
  readonly request: LogicRequest
  /** The hooks that are running, outermost first. */
  readonly path: readonly string[]
  /** The time of the run, as a timestamp. */
  readonly now: string
  /** Reads rows as records for a caller. */
  reader(
    resource: ResourceModel,
    caller: Principal,
    place: 'item' | 'list',
    more?: readonly Condition[],
  ): RecordReader
  /** The record that a row with these values is for a caller; only its id for one who may not read it. */
  recordWith(resource: ResourceModel, caller: Principal, values: readonly Stored[]): Promise<LogicRecord>
  /** The items that code has created in this run, by the records that it got. */
  readonly made: WeakMap<object, MadeItem>
  /** The action or the program whose own code runs now, not that of a hook; undefined: none. */
  readonly code: RunningCode | undefined
  /** Adds a write, which later reads of this run see. */
  add(write: CollectedWrite): void
  /** Runs a call of code. Throws where the hook has ended. */
  call<Result>(work: () => Promise<Result>): Promise<Result>
  /** Runs a transaction of code as a part of this run, which fails where it fails. */
  join<Result>(work: () => Promise<Result>): Promise<Result>
}
