/**
 * Escaping of formulas in CSV. Spreadsheets execute cells that begin like a formula, so such a text
 * gets an apostrophe in front. So does a text that already has apostrophes there, so that removing
 * one always restores the text.
 */

import type { FieldKind } from '../definition/field-kind.ts'

/** Whether values of the kind can begin like a formula. */
export function mayBeFormula({ encoding }: FieldKind): boolean {
  return encoding === 'escaped'
}

export function escapeFormula(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

export function unescapeFormula(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}
