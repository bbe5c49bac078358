/** The forms of the files of an item, which work without a script. */

import { parseStoredFile } from '../../definition/stored-file.ts'
import { formDataType } from '../../http/multipart.ts'
import { formatQueryString } from '../../http/query-string.ts'
import { fileUri } from '../../view/file-member.ts'
import { fileTag } from '../../view/file-validators.ts'
import type { Action } from '../../view/hypermedia-controls.ts'
import type { PageLayout } from '../../view/page-layout.ts'
import { formUri } from '../../view/uri.ts'
import type { ItemView } from '../../view/view.ts'
import { fieldHelp } from './field-help.ts'
import { formatLabel } from './field-label.ts'
import { html, type Markup } from './markup.ts'

/** Whether the action has a form here: its target is a file of the item. */
export function isFileAction({ row, visibleFields }: ItemView, { target }: Action): boolean {
  const { resource, fields } = visibleFields
  return fields.some((field) => field.file && fileUri(resource, field, row) === target)
}

/** A form for each file that the caller may upload or remove. */
export function fileForms(layout: PageLayout, item: ItemView): readonly Markup[] {
  const actions = (item.hypermedia?.actions ?? []).filter((action) => isFileAction(item, action))
  return [...Map.groupBy(actions, ({ target }) => target)].map(([target, forms]) => {
    const name = target.slice(target.lastIndexOf('/') + 1)
    const label = formatLabel(name)
    const shown = forms.map((action) => fileForm(layout, item, action))
    return html`<details class="card" id="file-${name}"><summary>${label}: upload or remove</summary>${shown}</details>`
  })
}

function fileForm({ model }: PageLayout, item: ItemView, action: Action): Markup {
  const { target, contentType, method, name } = action
  const below = target.slice(model.base.length + 1)
  const query = formatQueryString([['method', method], condition(item, target)])
  const uri = `${formUri(model, [])}/${below}?${query}`
  const [input] = action.inputs
  if (!input) {
    return html`<form method="post" action="${uri}" class="form"><div class="buttons"><button class="danger">Remove</button></div></form>`
  }
  const { field } = input
  return html`<form method="post" action="${uri}" enctype="${contentType ?? formDataType}" class="form">
<div class="field"><label for="${name}">${formatLabel(field.name)}</label>
<input id="${name}" type="file" name="${field.name}" accept="${field.file?.types.join(',')}" required aria-describedby="${name}-help">
<p class="help" id="${name}-help">${fieldHelp(field)}</p></div>
<div class="buttons"><button class="main">Upload</button></div>
</form>`
}

/** The form changes only the file that the page shows, or only none. */
function condition({ row, visibleFields }: ItemView, target: string): [string, string] {
  const { resource, fields } = visibleFields
  const field = fields.find((one) => one.file && fileUri(resource, one, row) === target)
  const file = field && parseStoredFile(row[field.index])
  return file ? ['match', `"${fileTag(file)}"`] : ['none-match', '*']
}
