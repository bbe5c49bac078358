/** The choice between the current value of a field and the one that a person sent. */

import { findFileModel } from '../../definition/file-fields.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import { choiceName, keepCurrent } from '../../formats/form-reader.ts'
import type { Input } from '../../views/hypermedia-controls.ts'
import type { ItemView } from '../../views/view.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { fullValue } from '../markup/display-value.ts'
import { fieldLabel, memberLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { wordDiff } from '../markup/word-diff.ts'
import type { RefusedForm } from '../page-view.ts'
import { controlValues } from './form-control.ts'

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

/** Both values with their differences. The control has the value that was sent, which can still be changed. */
export function conflictChoice(
  layout: PageLayout,
  item: ItemView,
  { input, control, sent }: { input: Input; control: Markup; sent: RefusedForm['sent'] },
): Markup {
  const { field } = input
  const name = choiceName(field)
  const current = controlValues(input, undefined).join('\n').replaceAll(/\r\n?/g, '\n')
  return html`<fieldset class="conflict"><legend>${fieldLabel(field)}: choose one</legend>
${hasWords(field) && html`<p class="help">From the current value to yours:</p>${wordDiff(current, sentText(field, sent))}`}
<label class="box"><input type="radio" name="${name}" value="${keepCurrent}" required> Keep the current value</label>
<div class="current">${fullValue(layout, item, field)}</div>
<label class="box"><input type="radio" name="${name}" value="mine" required> Use your value</label>
${control}
</fieldset>`
}

/** Whether the value is text that people wrote; the ids of references are not. */
function hasWords({ kind, schema, item, refs }: FieldModel): boolean {
  const { shape, isText } = kind
  return (isText || shape === 'list' || shape === 'json') && !refs && !schema.enum && !item?.schema.enum
}

function sentText({ name }: FieldModel, sent: RefusedForm['sent']): string {
  const values = sent.filter(([one]) => one === name || one === `${name}[]`).map(([, value]) => value)
  return values
    .filter((value) => value !== '')
    .join('\n')
    .replaceAll(/\r\n?/g, '\n')
}
