/** The effect of an operation as data: what it wants to have stored, and its response. `commitChange` stores it. */

import type { Refusal } from '../../refusal.ts'
import type { Write, WriteRefusal } from '../../store/write.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import type { LostRace } from './lost-race.ts'

export interface PlannedChange {
  /** Stored completely or not at all. */
  readonly writes: readonly Write[]
  /** The response once they are stored. It is made before, because it may be stored with them. */
  readonly response: ViewResponse
  /** The problem of a write that the store refuses, where it is not the usual one. */
  problemOf?(refused: RefusedWrite, usual: () => Promise<WriteProblem>): Promise<WriteProblem>
  /** Follows the commit, except within a batch. Returns another response; undefined: that of the change. */
  afterCommit?(): Promise<ViewResponse | undefined>
}

/** A write that the store refuses. */
export interface RefusedWrite {
  /** Among the writes of the change. */
  readonly index: number
  readonly write: Write | undefined
  readonly reason: WriteRefusal
}

/** The refusal that the client gets; a request that lost a race is performed again. */
export type WriteProblem = Refusal | LostRace
