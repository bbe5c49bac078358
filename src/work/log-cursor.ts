/** The last position of the change log that a consumer has read, which all nodes share. */

import type { ResourceModel } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import { readField, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import { findRow, insertFields } from '../store/table-rows.ts'
import type { Write } from '../store/write.ts'

export interface LogCursor {
  readonly position: number
  /** Undefined where the consumer has none yet. */
  readonly row: Row | undefined
}

export async function loadCursor(store: Store, cursors: ResourceModel, consumer: string): Promise<LogCursor> {
  const row = await findRow(store, cursors, consumer, 'consumer')
  return { position: row ? Number(readField(cursors, row, 'position')) : 0, row }
}

/** Moves the cursor; refused where another node has moved it since it was loaded. */
export function moveCursorWrite(
  cursors: ResourceModel,
  consumer: string,
  { row }: LogCursor,
  { position, now }: { readonly position: number; readonly now: string },
): Write {
  if (row) return updateFields(cursors, row, now, { position })
  return insertFields(cursors, now, { consumer, position })
}
