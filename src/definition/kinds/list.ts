/** Lists of single values, kept as JSON text whose items stand in the form a body shows. */

import { declareField, type Field, type PlainField, plainModifiers } from '../field.ts'
import type { FieldModel, JsonValue } from '../model.ts'
import { booleanOption, wholeNumber } from '../option-table.ts'
import { checkRange, type Kind } from './kind.ts'

export type ListOptions = {
  readonly min?: number
  /** 10,000 by default, which is also the most. */
  readonly max?: number
  /** Whether an item may be there only once. */
  readonly unique?: boolean
}

/**
 * A field with a list of single values.
 * @example
 * const tags = list(text({ max: 30 }), { max: 10, unique: true }).default([])
 */
export function list<V>(
  item: Field<V, 'decimal' | 'time'>,
  options: ListOptions = {},
): PlainField<readonly V[], 'list'> {
  return declareField({ kind: 'list', options, item }, plainModifiers)
}

const maxListLength = 10_000

/** The declared options with the model of the items. */
type Compiled = ListOptions & { readonly item: FieldModel; readonly itemForm: string }

export const listKind: Kind<Compiled> = {
  options: {
    min: wholeNumber(0, maxListLength),
    max: wholeNumber(1, maxListLength),
    unique: booleanOption,
  },
  check: checkRange,
  schema: ({ min = 0, max = maxListLength, unique, item }) => ({
    type: 'array',
    items: item.schema,
    ...(min > 0 && { minItems: min }),
    maxItems: max,
    ...(unique && { uniqueItems: true }),
  }),
  encode: (value, { item }) =>
    JSON.stringify((value as readonly JsonValue[]).map((one) => item.decode(item.encode(one)!))),
  decode: (stored) => JSON.parse(stored as string) as JsonValue,
  requirement: ({ itemForm }) => itemForm,
}
