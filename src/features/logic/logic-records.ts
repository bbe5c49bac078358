/** The records that code sees: the members of items that a caller may see, with their derived fields. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { JsonValue, ResourceModel } from '../../definition/model.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import { deriveInto } from '../../requests/read/derived-values.ts'
import type { CollectingStore } from '../../store/collecting-store.ts'
import type { Condition } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { createItemView, itemMembers } from '../../views/item-view.ts'
import { createRowChecks, type RowChecks } from '../../views/row-checks.ts'
import type { ItemView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'

export type LogicRecord = Readonly<Record<string, JsonValue>>

/** Reads rows as records. The reads of the rows must evaluate the conditions of `checks`. */
export interface RecordReader {
  readonly checks: RowChecks
  toRecords(rows: readonly Row[]): Promise<readonly LogicRecord[]>
}

export interface ReaderContext {
  readonly service: Pick<Unit, 'clock'>
  readonly collecting: CollectingStore
  readonly resource: ResourceModel
  readonly caller: Principal
}

/** Lists have only the derived fields that are always shown. `more` are further conditions to evaluate. */
export function createRecordReader(
  { service, collecting, resource, caller }: ReaderContext,
  place: 'item' | 'list',
  more: readonly Condition[] = [],
): RecordReader {
  const selector = createFieldSelector(rightsOf(resource, caller), place)
  const checks = createRowChecks(resource, [...selector.conditions, ...more])
  return {
    checks,
    async toRecords(rows) {
      const views = rows.map((row) => createItemView(row, selector, checks.readResults(row)))
      const { store, use } = collecting.deferReads()
      const derived = await deriveInto({ unit: { clock: service.clock, store }, caller }, views)
      return derived.map((view) => recordOf(view, use))
    },
  }
}

/** The members of the view. A look at a derived aggregate makes the request depend on it. */
function recordOf(view: ItemView, use: () => void): LogicRecord {
  const members: Record<string, JsonValue> = { ...itemMembers(view) }
  for (const { kind, field } of view.visibleFields.derived) {
    const value = members[field.name]
    if (kind !== 'aggregate' || value === undefined) continue
    const get = () => {
      use()
      return value
    }
    Object.defineProperty(members, field.name, { get, enumerable: true })
  }
  return Object.freeze(members)
}
