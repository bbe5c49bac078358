/** The faults of many new rows whose values must be unique, with pointers such as `/3/email`. */

import type { Rights } from '../../access/rights.ts'
import { type ContentFault, type Refusal, refuse } from '../../refusal.ts'
import type { Store } from '../../store/store.ts'
import type { InsertWrite } from '../../store/write.ts'
import { findTakenKeys, uniqueFaults, uniqueKey, uniqueSetsOf } from './unique-values.ts'

/** By the place of the row in the content, a JSON Pointer such as `/3`. */
export type InsertsByPlace = ReadonlyMap<string, InsertWrite>

/** The faults of rows that repeat unique values of an earlier row. */
export function findRepeatedValues(rights: Rights, writes: InsertsByPlace): readonly ContentFault[] {
  return uniqueSetsOf(rights.resource).flatMap((fields) => {
    const earlier = new Set<string>()
    return [...writes].flatMap(([place, { values }]) => {
      const key = uniqueKey(fields, values)
      if (key === undefined) return []
      if (earlier.has(key)) return inRow(place, uniqueFaults(rights, fields, 'repeated'))
      earlier.add(key)
      return []
    })
  })
}

/** The faults of rows with unique values that an existing item has. */
export async function findTakenValues(
  store: Store,
  rights: Rights,
  writes: InsertsByPlace,
): Promise<readonly ContentFault[]> {
  const sent = [...writes].map(([place, { values }]) => ({ place, values }))
  const faults = uniqueSetsOf(rights.resource).map(async (fields) => {
    const rows = sent.map(({ values }) => values)
    const taken = await findTakenKeys(store, rights.resource, fields, rows)
    return sent
      .filter(({ values }) => taken.has(uniqueKey(fields, values) ?? ''))
      .flatMap(({ place }) => inRow(place, uniqueFaults(rights, fields, 'taken')))
  })
  return (await Promise.all(faults)).flat()
}

/** 409 with the faults. */
export function duplicateValues(errors: readonly ContentFault[]): Refusal {
  return refuse('duplicate', { detail: 'Values that must be unique are taken.', errors })
}

/** The faults with pointers into the row; one for the row itself where there are none. */
function inRow(place: string, faults: readonly ContentFault[]): readonly ContentFault[] {
  const hidden = { pointer: '', rule: 'unique', detail: 'Another item has the same values.' }
  const shown = faults.length > 0 ? faults : [hidden]
  return shown.map((fault) => ({ ...fault, pointer: place + fault.pointer }))
}
