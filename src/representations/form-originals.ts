/**
 * The values that a form was made with, as a digest for each field in one hidden input. A value that
 * is sent back unchanged is recognised by it, so that an edit writes only what a person changed.
 */

import { hash } from 'node:crypto'
import type { FieldModel, JsonValue } from '../definition/model.ts'
import { formatQueryString, parseQueryString, type QueryPair } from '../http/query-string.ts'

/** The name of the hidden input. */
export const originalsName = '_originals'

/** Digests by the name of the field. */
export type Originals = ReadonlyMap<string, string>

/** The value of the hidden input. */
export function formatOriginals(
  inputs: readonly { readonly field: FieldModel; readonly value: JsonValue | undefined }[],
): string {
  return formatQueryString(inputs.map(({ field, value }) => [field.name, digestOf(field, value)]))
}

/** Those among the pairs of a form; empty where the form has none. */
export function parseOriginals(pairs: readonly QueryPair[]): Originals {
  const text = pairs.find(([name]) => name === originalsName)?.[1] ?? ''
  return new Map(parseQueryString(text) ?? [])
}

/** Whether the form was made with this value; undefined is an empty control. */
export function isOriginal(
  originals: Originals,
  field: FieldModel,
  value: JsonValue | undefined,
): boolean {
  return originals.get(field.name) === digestOf(field, value)
}

function digestOf(field: FieldModel, value: JsonValue | undefined): string {
  const normalizedValue = value === undefined ? [] : normalize(field, value)
  const text =
    Array.isArray(normalizedValue) && normalizedValue.length === 0
      ? ''
      : JSON.stringify(normalizedValue)
  return hash('sha256', text, 'base64url').slice(0, 12)
}

/** As it is after a control has held it: browsers rewrite line breaks, and shorten times. */
function normalize({ kind, item }: FieldModel, value: JsonValue): JsonValue {
  if (Array.isArray(value) && item) {
    // Controls for lists hold no empty item, and boxes stand in an order of their own.
    const items = value.map((one) => normalize(item, one)).filter((one) => one !== '')
    return item.schema.enum || item.kind === 'boolean' ? [...new Set(items)].sort() : items
  }
  if (typeof value !== 'string') return value
  if (kind === 'timestamp') {
    const time = Date.parse(value)
    return Number.isNaN(time) ? value : time
  }
  return value.replaceAll(/\r\n?/g, '\n')
}
