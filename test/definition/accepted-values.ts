/** Which values a kind of field accepts, and how it keeps them. */

import assert from 'node:assert/strict'
import type { Field } from '../../src/definition/field.ts'
import type { JsonValue } from '../../src/definition/model.ts'
import { things } from './sample.ts'

export interface Sides {
  readonly accepted: readonly unknown[]
  readonly refused: readonly unknown[]
}

export function assertSides(field: Field, { accepted, refused }: Sides): void {
  const { validate } = things({ a: field })
  for (const a of accepted) assert.deepEqual(validate({ a }), [], JSON.stringify(a))
  for (const a of refused) assert.equal(validate({ a }).length, 1, JSON.stringify(a))
}

/** What the column holds, and what is shown again. */
export function keep(field: Field, value: JsonValue): readonly unknown[] {
  const model = things({ a: field }).fieldByName.get('a')!
  const stored = model.encode(value)
  return [stored, model.decode(stored!)]
}
