/**
 * The interface of a kind of field: its options, the JSON Schema of its values, and the conversion
 * between JSON and columns. Each kind is a file in this folder and an entry in field-kinds.ts.
 */

import type { FaultReport } from '../definition-fault.ts'
import type { JsonSchema, JsonValue, Stored } from '../model.ts'
import type { Options, OptionTable } from '../option-table.ts'

/** The uses of a field that limit its values. */
export interface FieldUse {
  /** Unique, indexed or the key: entries of a database index must be short. */
  readonly isIndexed: boolean
  /** Its values are path segments. */
  readonly isKey: boolean
}

export type PresentValue = Exclude<Stored, null>

/** `check` receives the options first; the other functions rely on it. */
export interface Kind<O = Options> {
  readonly options: OptionTable
  /** Reports options that contradict each other. */
  check(options: O, report: FaultReport, use: FieldUse): void
  schema(options: O, use: FieldUse): JsonSchema
  encode(value: JsonValue, options: O): Stored
  decode(stored: PresentValue, options: O): JsonValue
  /** The message for a value of the right type and the wrong form. */
  requirement(options: O): string
}

export function checkRange(
  { min, max }: { readonly min?: number; readonly max?: number },
  report: FaultReport,
): void {
  if (min === undefined || max === undefined || min <= max) return
  report(`The option 'min' (${min}) is greater than 'max' (${max}).`, 'Exchange them.')
}

/** Stores text unchanged. */
export const asText = {
  encode: (value: JsonValue): Stored => value as string,
  decode: (stored: PresentValue): JsonValue => stored as string,
}
