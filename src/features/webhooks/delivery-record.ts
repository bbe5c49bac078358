/** The attempts to deliver, as the owner of a webhook sees them below it. */

import type { ResourceModel } from '../../definition/model.ts'
import { all, equals } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { updateFields } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import { insertFields, listRows } from '../../store/table-rows.ts'
import type { InsertWrite, Write } from '../../store/write.ts'

export interface NewDelivery {
  readonly webhook: string
  readonly message: string
  readonly event: string
  readonly href: string | undefined
  readonly attempt: number
  /** The position of the log entry; undefined for a test. */
  readonly position: number | undefined
}

/** Inserts the record of an attempt that begins. */
export function beginDelivery(deliveries: ResourceModel, begun: NewDelivery, now: string): InsertWrite {
  return insertFields(deliveries, now, { ...begun, status: 'sending' })
}

export interface DeliveryResult {
  readonly status: 'succeeded' | 'failed' | 'interrupted'
  readonly responseStatus?: number | undefined
  readonly reason?: string | undefined
  readonly duration?: number | undefined
  readonly nextAttemptAt?: string | undefined
}

/** Records the end of an attempt. */
export function endDelivery(
  deliveries: ResourceModel,
  begun: Row,
  result: DeliveryResult,
  now: string,
): Write {
  const changed = Object.entries(result).map(([name, value]) => [name, value ?? null] as const)
  return updateFields(deliveries, begun, now, Object.fromEntries(changed))
}

/** Records that attempts of the message were interrupted: the node that made them is gone. */
export async function endInterrupted(
  store: Store,
  deliveries: ResourceModel,
  message: string,
  now: string,
): Promise<readonly Write[]> {
  const rows = await listRows(store, deliveries, {
    condition: all([equals(['message'], message), equals(['status'], 'sending')]),
    limit: 10,
  })
  const reason = 'The service stopped before a response arrived.'
  return rows.map((row) => endDelivery(deliveries, row, { status: 'interrupted', reason }, now))
}
