/**
 * The original values of a form, as a digest for each field in one hidden input. With it the service
 * recognizes unchanged values, so that an edit writes only what a person changed.
 */

import { hash } from 'node:crypto'
import type { FieldModel, JsonValue } from '../definition/model.ts'
import { formatQueryString, parseQueryString, type QueryPair } from '../http/query-string.ts'

/** The name of the hidden input. */
export const originalsName = '_originals'

/** Digests by the name of the field. */
export type Originals = ReadonlyMap<string, string>

/** Formats the value of the hidden input. */
export function formatOriginals(
  inputs: readonly { readonly field: FieldModel; readonly value: JsonValue | undefined }[],
): string {
  return formatQueryString(inputs.map(({ field, value }) => [field.name, digestOf(field, value)]))
}

/** Parses the originals in the pairs of a form; empty if the form has none. */
export function parseOriginals(pairs: readonly QueryPair[]): Originals {
  const text = pairs.find(([name]) => name === originalsName)?.[1] ?? ''
  return new Map(parseQueryString(text) ?? [])
}

/** Whether this is the original value of the field; undefined means an empty control. */
export function isOriginal(originals: Originals, field: FieldModel, value: JsonValue | undefined): boolean {
  return originals.get(field.name) === digestOf(field, value)
}

/** Whether a control shows both values alike. */
export function isSameValue(
  field: FieldModel,
  one: JsonValue | undefined,
  other: JsonValue | undefined,
): boolean {
  return digestOf(field, one) === digestOf(field, other)
}

function digestOf(field: FieldModel, value: JsonValue | undefined): string {
  const normalizedValue = value === undefined ? [] : normalize(field, value)
  const text =
    Array.isArray(normalizedValue) && normalizedValue.length === 0 ? '' : JSON.stringify(normalizedValue)
  return hash('sha256', text, 'base64url').slice(0, 12)
}

/** The value as a browser returns it from a control: with other line breaks and shorter times. */
function normalize({ kind, refs, item }: FieldModel, value: JsonValue): JsonValue {
  if (Array.isArray(value) && item) {
    // List controls drop empty items, and checkboxes have their own order, as sets have.
    const items = value.map((one) => normalize(item, one)).filter((one) => one !== '')
    const isUnordered = refs || item.schema.enum || item.kind.shape === 'boolean'
    return isUnordered ? [...new Set(items)].sort() : items
  }
  if (typeof value !== 'string') return value
  if (kind.order === 'instant') {
    const time = Date.parse(value)
    return Number.isNaN(time) ? value : time
  }
  return value.replaceAll(/\r\n?/g, '\n')
}
