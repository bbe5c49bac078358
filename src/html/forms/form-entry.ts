/** The values, faults and choices that the controls of a form show. */

import type { ContentFault } from '../../refusal.ts'
import type { Input } from '../../views/hypermedia-controls.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { fieldLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'

/** The values that were sent and their faults. */
export interface FormEntry {
  /** The prefix of the ids of its elements, so that several forms fit on one page. */
  readonly prefix: string
  /** The values as sent; undefined if the input was not sent. */
  readonly sent: readonly string[] | undefined
  readonly faults: readonly ContentFault[]
  /** Added to the help of the field. */
  readonly note?: string
}

export interface ControlContext {
  readonly layout: PageLayout
  readonly input: Input
  readonly id: string
  readonly attributes: Markup
  readonly values: readonly string[]
}

/** A checkbox for each option, by its value and label. The first one has the id of the control. */
export function checkboxes(
  { input, id, values, attributes }: ControlContext,
  options: readonly (readonly [value: string, label: string])[],
): Markup {
  const { field } = input
  const items = options.map(
    ([option, label], index) =>
      html`<label class="box"><input type="checkbox"${index === 0 && html` id="${id}"`} name="${field.name}[]" value="${option}"${values.includes(option) && html` checked`}> ${label}</label>`,
  )
  return html`<div class="boxes" role="group" aria-label="${fieldLabel(field)}"${attributes}><input type="hidden" name="${field.name}[]" value="">${items}</div>`
}
