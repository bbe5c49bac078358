/** Waits for the ends of jobs, for requests with `Prefer: wait` (RFC 7240 §4.3). */

import { isUnfinished } from '../../../definition/job.ts'
import { IDENTITY, type ResourceModel } from '../../../definition/model.ts'
import type { RequestContext } from '../../../requests/context/request-context.ts'
import type { Unit } from '../../../requests/context/service-context.ts'
import { isOneOf } from '../../../store/condition.ts'
import type { Row } from '../../../store/row.ts'
import { readField } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import { findRow, listRows } from '../../../store/table-rows.ts'
import { memoizeByObject } from '../../../tools/memoize.ts'

/** In milliseconds. */
const pollInterval = 100
/** Jobs that are looked up together. */
const maxLookup = 500

/** The milliseconds that the client prefers to wait. */
export function waitingTime({ preferences }: Pick<RequestContext, 'preferences'>): number {
  return Number(preferences.get('wait') ?? 0) * 1000
}

export interface AwaitedJob {
  readonly jobs: ResourceModel
  readonly identity: string
}

/** The row of the job when it has ended, or when the time is over; undefined without waiting, or where it was deleted. */
export async function waitForJob(
  { store }: Pick<Unit, 'store'>,
  { jobs, identity }: AwaitedJob,
  milliseconds: number,
): Promise<Row | undefined> {
  if (milliseconds <= 0) return undefined
  const ended = await waitingRoomOf(store)(jobs).wait(identity, milliseconds)
  return ended ?? findRow(store, jobs, identity)
}

const waitingRoomOf = memoizeByObject((store: Store) =>
  memoizeByObject((jobs: ResourceModel) => new WaitingRoom(store, jobs)),
)

/** All waiting requests of a process. Their jobs are looked up together, so that many cost little more than one. */
class WaitingRoom {
  readonly #store: Store
  readonly #jobs: ResourceModel
  readonly #waiting = new Map<string, (row: Row | undefined) => void>()
  #timer: NodeJS.Timeout | undefined

  constructor(store: Store, jobs: ResourceModel) {
    this.#store = store
    this.#jobs = jobs
  }

  /** Only the request that created the job waits for it. */
  wait(identity: string, milliseconds: number): Promise<Row | undefined> {
    return new Promise((resolve) => {
      const timeout = setTimeout(() => leave(undefined), milliseconds)
      const leave = (row: Row | undefined) => {
        clearTimeout(timeout)
        this.#waiting.delete(identity)
        resolve(row)
      }
      this.#waiting.set(identity, leave)
      this.#timer ??= setTimeout(() => void this.#look(), pollInterval)
    })
  }

  async #look(): Promise<void> {
    try {
      for (const row of await this.#ended()) this.#waiting.get(String(row[IDENTITY]))?.(row)
    } catch {
      // The store is unavailable. The requests wait on.
    }
    this.#timer = this.#waiting.size === 0 ? undefined : setTimeout(() => void this.#look(), pollInterval)
  }

  async #ended(): Promise<readonly Row[]> {
    const identities = [...this.#waiting.keys()].slice(0, maxLookup)
    if (identities.length === 0) return []
    const condition = isOneOf(['_identity'], identities)
    const rows = await listRows(this.#store, this.#jobs, { condition, limit: maxLookup })
    return rows.filter((row) => !isUnfinished(readField(this.#jobs, row, 'status')))
  }
}
