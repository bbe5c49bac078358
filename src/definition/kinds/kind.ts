/**
 * A kind of field is one file: its function, its options, the JSON Schema of its values, the conversion between JSON
 * and columns, and the traits that all other code reads. Every member is required.
 */

import { memoizeByObject } from '../../tools/memoize.ts'
import type { FaultReport } from '../definition-fault.ts'
import type { FieldKind, InputTraits, PresentValue } from '../field-kind.ts'
import type { RefModel, RefsModel } from '../model.ts'
import type { FileModel } from '../option-models.ts'
import type { Options, OptionTable } from '../option-table.ts'
import type { StateModel } from '../state-model.ts'
import type { Tone } from '../tone.ts'
import type { JsonSchema, JsonValue, Stored } from '../value-types.ts'

/** The uses of a field that limit its values. */
export interface FieldUse {
  /** Unique, indexed or the key: entries of a database index must be short. */
  readonly isIndexed: boolean
  /** Its values are path segments. */
  readonly isKey: boolean
}

/** `check` receives the options first; the other functions rely on it. */
export interface Kind<O = Options> extends FieldKind {
  readonly options: OptionTable
  /** Reports options that contradict each other. */
  check(options: O, report: FaultReport, use: FieldUse): void
  schema(options: O, use: FieldUse): JsonSchema
  encode(value: JsonValue, options: O): Stored
  decode(stored: PresentValue, options: O): JsonValue
  /** The message for a value of the right type and the wrong form. */
  requirement(options: O): string
  /** The members of a field in the model that only some kinds have. */
  parts(options: O, report: FaultReport): KindParts
}

export interface KindParts {
  readonly scale?: number
  readonly state?: StateModel
  readonly file?: FileModel
  readonly tones?: ReadonlyMap<string, Tone>
  /** The option `target` says to which resource. */
  readonly ref?: Omit<RefModel, 'resource'> | undefined
  readonly refs?: Omit<RefsModel, 'resource'> | undefined
}

export function checkRange(
  { min, max }: { readonly min?: number; readonly max?: number },
  report: FaultReport,
): void {
  if (min === undefined || max === undefined || min <= max) return
  report(`The option 'min' (${min}) is greater than 'max' (${max}).`, 'Exchange them.')
}

/** Reads a whole value, which has the form of the schema. `form` says which, to complete "must be …". */
export function compareMatching(form: string): FieldKind['compare'] {
  return (value, field) => {
    const fits = typeof value === 'string' && value.length <= 100 && patternOf(field.schema).test(value)
    const stored = fits ? field.encode(value) : null
    return stored === null ? { expected: form } : { value: { stored, isExact: true } }
  }
}

const patternOf = memoizeByObject(({ pattern }: JsonSchema) => new RegExp(String(pattern), 'u'))

/** A control without further attributes. */
export const textInput: InputTraits = { type: 'text', placeholder: undefined, attributes: () => ({}) }

/** The traits that most kinds have. */
export const usualTraits = {
  isText: false,
  choices: 'none',
  isHashed: false,
  reference: 'none',
  column: 'text',
  mayBeKey: false,
  mayBeItem: true,
  comparedSchema: undefined,
  totals: undefined,
  isTrimmed: true,
  input: textInput,
  isEditedInCells: true,
  check: () => {},
  parts: () => ({}),
} as const satisfies Partial<Kind>

/** The traits of values that are not compared as a whole. */
export const partTraits = {
  ...usualTraits,
  encoding: 'plain',
  mayBeItem: false,
  order: 'none',
  compare: () => ({ expected: 'a value of another field' }),
  isTrimmed: false,
  examples: () => [],
  isEditedInCells: false,
} as const satisfies Partial<Kind>

/** Stores text unchanged. */
export const asText = {
  encode: (value: JsonValue): Stored => value as string,
  decode: (stored: PresentValue): JsonValue => stored as string,
}
