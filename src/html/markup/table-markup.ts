/** Tables that scroll by themselves on narrow screens. The label names them for people who do not see them. */

import { html, type Markup } from './markup.ts'

export function tableMarkup(label: string, heads: readonly Markup[], rows: readonly Markup[]): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`
}

/** A heading for each text, with this class. */
export function columnHeads(texts: readonly string[], look?: 'number'): readonly Markup[] {
  return texts.map((text) => html`<th scope="col"${look && html` class="${look}"`}>${text}</th>`)
}
