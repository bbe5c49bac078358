/**
 * The `html` template tag. Whatever is put into a template is text and is escaped, unless it is
 * markup that another template made: there is no way to leave the escaping out by accident.
 */

import { createEscaper } from '../escaper.ts'

/** Markup that templates made, and that is put into others as it is. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** Absent parts and false ones leave nothing behind; lists are put one after the other. */
export type MarkupPart = Markup | string | number | undefined | false | readonly MarkupPart[]

/** Attribute values stand in double quotes in every template, or the escaping would not hold. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  let text = strings[0] ?? ''
  for (let at = 0; at < parts.length; at += 1) {
    text += renderPart(parts[at]) + (strings[at + 1] ?? '')
  }
  return new Markup(text)
}

/** Parts with something between them. */
export function joined(parts: readonly MarkupPart[], between: MarkupPart = ''): Markup {
  return new Markup(parts.map(renderPart).join(renderPart(between)))
}

/** Markup that was put together by hand, for what is written many times on a page. */
export function trustedMarkup(text: string): Markup {
  return new Markup(text)
}

export const nothing = new Markup('')

function renderPart(part: MarkupPart): string {
  if (part instanceof Markup) return part.text
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeText(part)
  if (typeof part === 'number') return String(part)
  let text = ''
  for (const one of part) text += renderPart(one)
  return text
}

/** Text that is only text wherever it stands: between tags, or in a quoted attribute. */
export const escapeText = createEscaper({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
})
