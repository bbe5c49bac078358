/** The faults of many new rows whose values must be unique, with pointers such as `/3/email`. */

import type { Rights } from '../../access/rights.ts'
import type { ContentFault } from '../../refusal.ts'
import type { Store } from '../../store/store.ts'
import type { InsertWrite } from '../../store/write.ts'
import { findTakenKeys, uniqueFaults, uniqueKey, uniqueSetsOf } from './unique-values.ts'

/** By the index of the row. */
export type InsertsByRow = ReadonlyMap<number, InsertWrite>

/** The faults of rows that repeat unique values of an earlier row. */
export function findRepeatedValues(rights: Rights, writes: InsertsByRow): readonly ContentFault[] {
  return uniqueSetsOf(rights.resource).flatMap((fields) => {
    const earlier = new Set<string>()
    return [...writes].flatMap(([row, { values }]) => {
      const key = uniqueKey(fields, values)
      if (key === undefined) return []
      if (earlier.has(key)) return inRow(row, uniqueFaults(rights, fields, 'repeated'))
      earlier.add(key)
      return []
    })
  })
}

/** The faults of rows with unique values that an existing item has. */
export async function findTakenValues(
  store: Store,
  rights: Rights,
  writes: InsertsByRow,
): Promise<readonly ContentFault[]> {
  const sent = [...writes].map(([row, { values }]) => ({ row, values }))
  const faults = uniqueSetsOf(rights.resource).map(async (fields) => {
    const rows = sent.map(({ values }) => values)
    const taken = await findTakenKeys(store, rights.resource, fields, rows)
    return sent
      .filter(({ values }) => taken.has(uniqueKey(fields, values) ?? ''))
      .flatMap(({ row }) => inRow(row, uniqueFaults(rights, fields, 'taken')))
  })
  return (await Promise.all(faults)).flat()
}

/** The faults with pointers into the row; one for the row itself where there are none. */
function inRow(row: number, faults: readonly ContentFault[]): readonly ContentFault[] {
  const hidden = { pointer: '', rule: 'unique', detail: 'Another item has the same values.' }
  const shown = faults.length > 0 ? faults : [hidden]
  return shown.map((fault) => ({ ...fault, pointer: `/${row}${fault.pointer}` }))
}
