/**
 * Escaping of formulas in CSV. Spreadsheets execute cells that begin like a formula, so such a text
 * gets an apostrophe in front. So does a text that already has apostrophes there, so that removing
 * one always restores the text.
 */

import type { KindName } from '../definition/field-kind.ts'

const kinds: ReadonlySet<KindName> = new Set(['text', 'choice', 'state', 'email', 'ref'])

/** Whether values of the kind can begin like a formula. */
export function mayBeFormula(kind: KindName): boolean {
  return kinds.has(kind)
}

export function escapeFormula(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

export function unescapeFormula(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}
