/** The rows of an aggregation as JSON objects. */

import type { JsonValue } from '../definition/model.ts'
import type { AggregateView } from '../views/view.ts'

/** Each row by the names of its members; absent values are left out. */
export function aggregateObjects({
  members,
  rows,
}: AggregateView): readonly Readonly<Record<string, JsonValue>>[] {
  return rows.map(({ values }) =>
    Object.fromEntries(
      members.flatMap(({ name }, at) => {
        const value = values[at]
        return value === undefined ? [] : [[name, value]]
      }),
    ),
  )
}
