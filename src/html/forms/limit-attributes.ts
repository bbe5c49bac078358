/** The limits of fields as attributes of their inputs. */

import { cleanText } from '../../definition/kinds/text.ts'
import type { FieldModel } from '../../definition/model.ts'
import { html, type MarkupPart } from '../markup/markup.ts'

/** The script shows how many characters are left, and lets longer texts be shortened by hand. */
export function lengthAttributes({ schema }: FieldModel): MarkupPart {
  const { minLength, maxLength } = schema
  return html`${Number(minLength) > 0 && limitAttribute('minlength', minLength)}${limitAttribute('maxlength', maxLength)}`
}

/** Browsers compile the pattern with the flag `v` and match it with the whole value. */
export function patternAttribute({ schema }: FieldModel): MarkupPart {
  const { pattern } = schema
  if (typeof pattern !== 'string' || pattern === cleanText || !/^\^.*\$$/.test(pattern)) return undefined
  const escaped = pattern.replaceAll(/(?<!\\)-\]/g, '\\-]')
  return isBrowserPattern(escaped) && html` pattern="${escaped}"`
}

function isBrowserPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'v')
    return true
  } catch {
    // A pattern that only the flag `u` allows is left to the service.
    return false
  }
}

export function limitAttribute(name: string, value: unknown): MarkupPart {
  return value !== undefined && html` ${name}="${String(value)}"`
}
