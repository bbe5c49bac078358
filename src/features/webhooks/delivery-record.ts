/** The attempts to deliver, as the owner of a webhook sees them below it. */

import { randomUUIDv7 } from 'node:crypto'
import type { ResourceModel, Stored } from '../../definition/model.ts'
import { all, always, equals } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { updateFields } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
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
  const given: Readonly<Record<string, Stored | undefined>> = { ...begun, status: 'sending' }
  const fields = deliveries.fields.map(({ name }) => given[name] ?? null)
  return {
    kind: 'insert',
    table: deliveries.name,
    values: [randomUUIDv7(), 1, now, now, ...fields],
    conditionAfter: always,
  }
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
  const rows = await store.list({
    table: deliveries.name,
    condition: all([equals(['message'], message), equals(['status'], 'sending')]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: 10,
    evaluated: [],
  })
  const reason = 'The service stopped before a response arrived.'
  return rows.map((row) => endDelivery(deliveries, row, { status: 'interrupted', reason }, now))
}
