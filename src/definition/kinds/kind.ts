/**
 * What a kind of field is: its options, the JSON Schema of its values, and the way between a body
 * and a column. Each kind is a file beside this one and an entry in table.ts.
 */

import type { FaultReport } from '../definition-fault.ts'
import type { JsonSchema, JsonValue, Stored } from '../model.ts'
import type { Options, OptionTable } from '../option-table.ts'

/** How the field is used, as far as its values depend on it. */
export interface FieldUse {
  /** Unique, indexed or the key: its values stand in an index, whose entries must be short. */
  readonly indexed: boolean
  /** Its values are path segments. */
  readonly key: boolean
}

export type PresentValue = Exclude<Stored, null>

/** The options of a kind are trusted in all but `check`, which sees them first. */
export interface Kind<O = Options> {
  readonly options: OptionTable
  /** Reports options that are each of the right form and yet make no sense. */
  check(options: O, report: FaultReport, use: FieldUse): void
  schema(options: O, use: FieldUse): JsonSchema
  encode(value: JsonValue, options: O): Stored
  decode(stored: PresentValue, options: O): JsonValue
  /** Told to a client whose value has the right type and the wrong form. */
  requirement(options: O): string
}

export function checkRange(
  { min, max }: { readonly min?: number; readonly max?: number },
  report: FaultReport,
): void {
  if (min === undefined || max === undefined || min <= max) return
  report(`The option 'min' (${min}) is greater than 'max' (${max}).`)
}

/** Texts are kept as they are. */
export const asText = {
  encode: (value: JsonValue): Stored => value as string,
  decode: (stored: PresentValue): JsonValue => stored as string,
}
