/** Any JSON value, or one that satisfies a given JSON Schema 2020-12; kept as JSON text. */

import type { FaultReport } from '../definition-fault.ts'
import { declareField, type PlainField, plainModifiers } from '../field.ts'
import { objectOption } from '../option-table.ts'
import { checkPattern } from '../pattern.ts'
import { findSchemaFault } from '../user-schema.ts'
import type { JsonSchema, JsonValue } from '../value-types.ts'
import { type Kind, partTraits } from './kind.ts'

export type JsonOptions = { readonly schema?: JsonSchema }

/**
 * A field with any JSON value, or with one that is valid against a JSON Schema 2020-12. The type
 * argument types the value; only the schema is enforced.
 * @example
 * interface Address { readonly city: string }
 * const address = json<Address>({
 *   type: 'object',
 *   required: ['city'],
 *   properties: { city: { type: 'string' } },
 * })
 */
export function json<V = JsonValue>(schema?: JsonSchema): PlainField<V> {
  return declareField({ kind: jsonKind, options: { schema } }, plainModifiers)
}

export const jsonKind: Kind<JsonOptions> = {
  ...partTraits,
  name: 'json',
  shape: 'json',
  operators: 'none',
  family: 'json',
  examples: () => [{}, [], 'Example', 1, true],
  options: { schema: objectOption },
  check({ schema }, report) {
    if (schema === undefined) return
    checkPatterns(schema, report)
    const reason = findSchemaFault(schema)
    if (reason !== undefined) report(`The JSON Schema is not valid: ${reason}.`)
  },
  schema: ({ schema = {} }) => schema,
  encode: (value) => JSON.stringify(value),
  decode: (stored) => JSON.parse(String(stored)),
  requirement: () => 'Must match the JSON Schema of the field.',
}

/** Patterns in the schema run on text of clients too. */
function checkPatterns(schema: unknown, report: FaultReport, seen = new Set<object>()): void {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return
  seen.add(schema)
  const declared = 'maxLength' in schema ? schema.maxLength : undefined
  const maxLength = typeof declared === 'number' ? declared : Number.POSITIVE_INFINITY
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern' && typeof value === 'string') {
      checkPattern(value, { maxLength, name: 'maxLength' }, report)
    }
    if (keyword === 'patternProperties' && objectOption.accepts(value)) {
      // Names have no maximum length.
      const bound = { maxLength: Number.POSITIVE_INFINITY }
      for (const pattern of Object.keys(value)) checkPattern(pattern, bound, report)
    }
    checkPatterns(value, report, seen)
  }
}
