/** Rows of a shop whose changes are logged, and writes of them. */

import type { Stored } from '../../src/definition/model.ts'
import type { ChangeLogEntry } from '../../src/store/change-log.ts'
import { always } from '../../src/store/condition.ts'
import type { Write } from '../../src/store/write.ts'
import { decimal, integer, LATER, real, ref, row, schema, table, text } from './tables.ts'

export const shop = schema(
  table('makers', [text('name', { unique: true })], { idColumn: 'name' }),
  table('goods', [
    text('title'),
    text('pin', { secret: true }),
    decimal('price'),
    integer('stock'),
    real('weight'),
    ref('maker', 'makers', 'clear'),
    ref('seller', 'makers', 'clear'),
  ]),
  table('parts', [ref('of', 'goods', 'cascade'), decimal('length', { scale: 0 })]),
  table(
    'wide',
    Array.from({ length: 70 }, (_, n) => text(`column${n}`)),
    { tombstones: true },
  ),
)

export const good = row('g1', 'Lamp', 'secret', -5n, 7, 0.1, null, null)

export function replace(name: string, previous: readonly Stored[], values: readonly Stored[]): Write {
  const version = Number(previous[1])
  const stamped = values.with(1, version + 1).with(3, LATER)
  const row = { table: name, identity: String(values[0]), version, values: stamped, previous }
  return { kind: 'update', ...row, conditionBefore: always, conditionAfter: always }
}

export const remove = (name: string, identity: string, version = 1): Write => ({
  kind: 'delete',
  table: name,
  identity,
  version,
  conditionBefore: always,
  at: LATER,
})

export const valuesOf = ({ id, kind, version, before, after }: ChangeLogEntry) => ({
  id,
  kind,
  version,
  before,
  after,
})
