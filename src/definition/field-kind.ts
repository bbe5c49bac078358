/**
 * A kind of field as all code outside of `kinds/` sees it: traits, which formats, forms, filters, checks, descriptions
 * and databases read. Nothing is decided by its name.
 */

import type { JsonSchema, JsonValue, Stored } from './value-types.ts'

export type PresentValue = Exclude<Stored, null>

export interface FieldKind {
  /** The name of the function that declares it, for people and for the limits that a database keeps. */
  readonly name: string
  /** The form of a value in JSON. Each format and each form of a page has one way for each. */
  readonly shape: 'text' | 'number' | 'boolean' | 'list' | 'json' | 'file'
  /** Free text, which people write, search and recognise items by. It may be empty and have several lines. */
  readonly isText: boolean
  /** Whether a value is one of the texts that its schema enumerates: `any` of them, or along `transitions`. */
  readonly choices: 'none' | 'any' | 'transitions'
  /** A secret. Only its hash is stored, and it is never shown. */
  readonly isHashed: boolean
  /** The id of an item, or several. */
  readonly reference: 'none' | 'one' | 'several'

  /** The type of its column in both databases. */
  readonly column: 'text' | 'integer' | 'real' | 'decimal'
  /**
   * The JSON text of a stored value: the same text, true or false for 1 or 0, the text in quotes (at most 250
   * characters that need no escaping), a JSON string of any text, or the JSON text of the decoded value.
   */
  readonly encoding: 'plain' | 'boolean' | 'quoted' | 'escaped' | 'decoded'
  /** Whether it can be the key: `encode` then takes any text, or any number. */
  readonly mayBeKey: boolean
  /** Whether lists and computed fields can have such values. */
  readonly mayBeItem: boolean

  /**
   * The meaning of its order: none; plain; amounts; calendar days; points in time. Without an order, a field is not
   * sorted, grouped, indexed, unique or compared by rules.
   */
  readonly order: 'none' | 'plain' | 'amount' | 'day' | 'instant'
  /** Which filter operators it has besides `missing`; none: it cannot be filtered. */
  readonly operators: 'none' | 'equal' | 'oneOf' | 'order' | 'text' | 'membership'
  /** Rules compare fields of the same family (and scale) with each other. */
  readonly family: string
  /** Reads a value to compare with, which may be a part of one (`contains`), or the value of no row. */
  compare(value: JsonValue, field: FieldValues): Reading<Comparand>
  /** The schema of a value to compare with; undefined: that of any text. */
  readonly comparedSchema: JsonSchema | undefined
  /** How sums and averages are shown; undefined: it has none. */
  readonly totals: Totals | undefined

  /** Whether spaces around its text mean nothing. */
  readonly isTrimmed: boolean
  /** Likely values. The first one that satisfies the schema is the example. */
  examples(schema: JsonSchema): readonly JsonValue[]
  readonly input: InputTraits
  /** Whether people change it in a cell of a table, and for several selected items at once. */
  readonly isEditedInCells: boolean
}

/** The values of a field, or of an aggregate of it: what the functions of a kind need to know. */
export interface FieldValues {
  readonly kind: FieldKind
  /** JSON Schema 2020-12 of the value in JSON. */
  readonly schema: JsonSchema
  /** Fraction digits of a decimal, else undefined. */
  readonly scale: number | undefined
  /** Converts a valid value to its column. Not for references, files and hashed values. */
  encode(value: JsonValue): Stored
  /** Converts the value of a column to JSON. `encode(decode(x))` is x. */
  decode(stored: PresentValue): JsonValue
}

/** The value, or what is expected instead, to complete "must be …". */
export type Reading<T> = { readonly value: T } | { readonly expected: string }

/** A value to compare with. Inexact: no row can have it, and it is rounded down to one that a row can have. */
export interface Comparand {
  readonly stored: PresentValue
  readonly isExact: boolean
}

/** The values of sums and averages, which a database computes from the column. */
export interface Totals {
  sum(field: FieldValues): FieldValues
  average(field: FieldValues): FieldValues
}

/** The control in HTML and the property in HAL-FORMS, as data. A select, a list or a reference needs only its shape. */
export interface InputTraits {
  readonly type: 'text' | 'email' | 'url' | 'number' | 'date' | 'datetime-local' | 'password' | 'color'
  readonly placeholder: string | undefined
  /** Further attributes of the control in HTML. */
  attributes(field: Pick<FieldValues, 'schema' | 'scale'>): Readonly<Record<string, string>>
}
