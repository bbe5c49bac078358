/**
 * Formulas in CSV: spreadsheets run a cell that begins like one, so a text that does gets an
 * apostrophe in front. One that has apostrophes there already gets one more, so that taking one
 * away always gives the text back.
 */

import type { FieldKind } from '../definition/model.ts'

const kinds: ReadonlySet<FieldKind> = new Set(['text', 'choice', 'state', 'email', 'ref'])

/** Whether values of the kind may begin with anything at all. */
export function mayBeFormula(kind: FieldKind): boolean {
  return kinds.has(kind)
}

export function escapeFormula(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

export function unescapeFormula(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}
