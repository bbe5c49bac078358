/** The members of an item as its reader sees them, as JSON values. */

import type { JsonValue } from '../declare/model.ts'
import { idOf } from './uri.ts'
import type { ItemView } from './view.ts'

export function itemMembers({ row, shape }: ItemView): Readonly<Record<string, JsonValue>> {
  const shown = [...shape.fields, ...shape.times].flatMap((field): [string, JsonValue][] => {
    const stored = row[field.shownAt]
    return stored === null || stored === undefined ? [] : [[field.name, field.decode(stored)]]
  })
  return Object.fromEntries([['id', idOf(shape.resource, row)], ...shown])
}
