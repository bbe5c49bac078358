/** The choice between the current value of a field and the one that a person sent. */

import { findFileModel } from '../../definition/file-fields.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { choiceName, keepCurrent } from '../../formats/form-reader.ts'
import type { Input } from '../../views/hypermedia-controls.ts'
import type { ItemView } from '../../views/view.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { fullValue } from '../markup/display-value.ts'
import { fieldLabel, memberLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import type { RefusedForm } from '../page-view.ts'

/** Whether the page offers a choice. A hidden value cannot be compared, and a file must be chosen again. */
export function isChoice({ field, fixed }: Input, { conflicts, item }: RefusedForm): boolean {
  const isVisible = item?.visibleFields.fields.includes(field) === true
  return !fixed && isVisible && conflicts.includes(field) && !findFileModel(field)
}

/** The values that the person sent, to copy them elsewhere. Labels are those of the resource, if it is known. */
export function sentValues(
  resource: ResourceModel | undefined,
  sent: RefusedForm['sent'],
): Markup | undefined {
  if (sent.length === 0) return undefined
  const values = sent.map(
    ([name, value]) =>
      html`<dt>${memberLabel(resource, name.replace(/\[\]$/, ''))}</dt><dd><span class="text">${value}</span></dd>`,
  )
  return html`<section><h2>Your changes, which are not saved</h2><dl class="fields">${values}</dl></section>`
}

/** Both values. The control has the value that was sent, which can still be changed. */
export function conflictChoice(
  layout: PageLayout,
  item: ItemView,
  { field }: Input,
  control: Markup,
): Markup {
  const name = choiceName(field)
  return html`<fieldset class="conflict"><legend>${fieldLabel(field)}: choose one</legend>
<label class="box"><input type="radio" name="${name}" value="${keepCurrent}" required> Keep the current value</label>
<div class="current">${fullValue(layout, item, field)}</div>
<label class="box"><input type="radio" name="${name}" value="mine" required> Use your value</label>
${control}
</fieldset>`
}
