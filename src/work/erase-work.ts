/** Erases queued work, waiting or parked, that has values of an item. */

import { queueName } from '../definition/delivery-resources.ts'
import type { Model } from '../definition/model.ts'
import { deleteRow, readField } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import { allRows } from '../store/table-rows.ts'
import type { DeleteWrite } from '../store/write.ts'
import { type QueuedWork, workOf } from './queued-work.ts'

export interface ErasedItem {
  readonly model: Model
  readonly store: Store
  readonly table: string
  readonly identity: string
  /** Its URI. */
  readonly uri: string
  /** The time of the erasure. */
  readonly at: string
}

/**
 * How a consumer erases its work about an item: returns the deletions that belong to the removal of the work;
 * undefined for work without values of the item, which stays.
 */
export type EraseWork = (work: QueuedWork, item: ErasedItem) => Promise<readonly DeleteWrite[] | undefined>

/** How a feature erases rows of its own that name the item, beside its work: returns their deletions. */
export type EraseRows = (item: ErasedItem) => Promise<readonly DeleteWrite[]>

/** By the name of the consumer. */
export type WorkErasures = Readonly<Record<string, EraseWork>>

/** The erasures of a feature. */
export interface WorkPart {
  readonly erasures?: WorkErasures
  readonly rows?: readonly EraseRows[]
}

/**
 * Erases the work of all consumers about the item; returns the deletions that belonged to it. Undefined where a
 * running service has changed some work meanwhile.
 */
export async function eraseWork(
  item: ErasedItem,
  erasures: WorkErasures,
): Promise<readonly DeleteWrite[] | undefined> {
  const { model, store, at } = item
  const queue = model.ownTables.get(queueName)
  if (!queue) return []
  const deleted: DeleteWrite[] = []
  let isComplete = true
  for await (const row of allRows(store, queue)) {
    // Written by `enqueueWrite`.
    const erase = erasures[readField(queue, row, 'consumer') as string]
    // Work of a feature that the service lacks is of no use any more.
    const others = erase ? await erase(workOf(queue, row), item) : []
    if (!others) continue
    const { kind } = await store.write([deleteRow(queue, row, at), ...others])
    if (kind === 'refused') isComplete = false
    else deleted.push(...others)
  }
  return isComplete ? deleted : undefined
}
