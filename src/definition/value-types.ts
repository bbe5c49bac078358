/** JSON values and schemas, and values as the store has them. */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

export type JsonSchema = { readonly [keyword: string]: unknown }

/** The value of a column: booleans are 0 and 1, decimals are scaled integers (text when read). */
export type Stored = string | number | bigint | null
