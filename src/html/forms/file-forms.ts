/** The forms of the files of an item, which work without a script. */

import { findFileModel, isFileList } from '../../definition/file-fields.ts'
import type { FieldModel } from '../../definition/model.ts'
import { parseStoredFile, parseStoredFiles } from '../../definition/stored-file.ts'
import { formDataType } from '../../http/multipart.ts'
import { formatQueryString, type QueryPair } from '../../http/query-string.ts'
import { fileUri, listedFileUri } from '../../views/file-member.ts'
import { fileTag } from '../../views/file-validators.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { formUri } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { fieldLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'
import { fieldHelp } from './field-help.ts'

/** Whether the action has a form here: its target is a file of the item, or a list of files. */
export function isFileAction(item: ItemView, { target }: Action): boolean {
  return findFileField(item, target) !== undefined
}

/** A form for each file that the caller may upload or remove, and for each list that takes more files. */
export function fileForms(layout: PageLayout, item: ItemView): readonly Markup[] {
  const actions = (item.hypermedia?.actions ?? []).filter((action) => isFileAction(item, action))
  return [...Map.groupBy(actions, ({ target }) => target)].map(([target, forms]) => {
    const field = findFileField(item, target) as FieldModel
    const label = fieldLabel(field)
    const shown = forms.map((action) => fileForm(layout, item, action))
    const [summary, removals] = isFileList(field)
      ? [phrase`${label}: add or remove`, removalForms(layout, item, field)]
      : [phrase`${label}: upload or remove`, []]
    return html`<details class="card" id="file-${field.name}"><summary>${summary}</summary>${shown}${removals}</details>`
  })
}

function findFileField({ row, visibleFields }: ItemView, target: string): FieldModel | undefined {
  const { resource, fields } = visibleFields
  return fields.find((field) => findFileModel(field) && fileUri(resource, field, row) === target)
}

function fileForm(layout: PageLayout, item: ItemView, action: Action): Markup {
  const { target, contentType, method, name } = action
  const [input] = action.inputs
  if (!input) return removalForm(formTarget(layout, target, [['method', method], condition(item, target)]))
  const { field } = input
  const isList = isFileList(field)
  const query: QueryPair[] = isList ? [] : [['method', method], condition(item, target)]
  return html`<form method="post" action="${formTarget(layout, target, query)}" enctype="${contentType ?? formDataType}" data-send class="form">
<div class="field"><label for="${name}">${fieldLabel(field)}</label>
<input id="${name}" type="file" name="${field.name}" accept="${findFileModel(field)?.types.join(',')}"${isList && html` multiple`} required aria-describedby="${name}-help">
<p class="help" id="${name}-help">${fieldHelp(field)}</p></div>
<div class="buttons"><button class="main">${isList ? phrase`Add` : phrase`Upload`}</button></div>
</form>`
}

/** The URI to which the form is sent. */
function formTarget({ model }: PageLayout, target: string, query: readonly QueryPair[]): string {
  const uri = `${formUri(model, [])}/${target.slice(model.base.length + 1)}`
  return query.length === 0 ? uri : `${uri}?${formatQueryString(query)}`
}

function removalForm(uri: string, name?: string): Markup {
  return html`<form method="post" action="${uri}" class="form"><div class="buttons"><button class="danger">${name === undefined ? phrase`Remove` : phrase`Remove ${name}`}</button></div></form>`
}

/** A form for each file of a list. */
function removalForms(
  layout: PageLayout,
  { row, visibleFields: { resource } }: ItemView,
  field: FieldModel,
): readonly Markup[] {
  return parseStoredFiles(row[field.index]).map((file) => {
    const query: QueryPair[] = [
      ['method', 'DELETE'],
      ['match', `"${fileTag(file)}"`],
    ]
    return removalForm(formTarget(layout, listedFileUri(resource, field, row, file.id), query), file.name)
  })
}

/** The form changes only the file that the page shows, or only none. */
function condition(item: ItemView, target: string): QueryPair {
  const field = findFileField(item, target)
  const file = field && parseStoredFile(item.row[field.index])
  return file ? ['match', `"${fileTag(file)}"`] : ['none-match', '*']
}
