/** How much work is queued, for operators. */

import { queueName } from '../definition/delivery-resources.ts'
import { CREATED_AT, type Model } from '../definition/model.ts'
import type { Store } from '../store/store.ts'
import { listRows } from '../store/table-rows.ts'
import { countParked, countWaiting, withStatus } from './queued-work.ts'

export interface QueueFigures {
  /** Works that are not done yet. */
  readonly waiting: number
  /** Works whose last attempt has failed. */
  readonly parked: number
  /** Since when the oldest work is waiting; undefined where none is. */
  readonly oldest: string | undefined
}

/** The figures of a consumer; undefined for a service that queues no work. */
export async function loadQueueFigures(
  store: Store,
  { ownTables }: Model,
  consumer: string,
): Promise<QueueFigures | undefined> {
  const queue = ownTables.get(queueName)
  if (!queue) return undefined
  const context = { queue, consumer }
  const [oldest] = await listRows(store, queue, { condition: withStatus(context, 'waiting'), limit: 1 })
  return {
    waiting: oldest ? await countWaiting(store, context) : 0,
    parked: await countParked(store, context),
    oldest: oldest && String(oldest[CREATED_AT]),
  }
}
