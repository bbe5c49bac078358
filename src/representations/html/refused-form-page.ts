/** A form that was refused: itself again with what is wrong, or, after a lost race, what changed meanwhile. */

import type { FieldModel } from '../../definition/model.ts'
import type { ContentFault } from '../../refusal.ts'
import type { PageChrome } from '../../view/page-chrome.ts'
import { collectionUri, itemUri } from '../../view/uri.ts'
import type { ItemView, ProblemView, RefusedForm } from '../../view/view.ts'
import { actionForm } from './action-form.ts'
import { fullValue } from './display-value.ts'
import { formatLabel } from './field-label.ts'
import { controlValues } from './form-control.ts'
import { fieldList, itemTitle } from './item-page.ts'
import type { HtmlPage } from './layout.ts'
import { html, type Markup } from './markup.ts'

export function refusedFormPage(
  chrome: PageChrome,
  problem: ProblemView,
  refused: RefusedForm,
): HtmlPage {
  const { item } = refused
  const title = item
    ? itemTitle(item)
    : `New in ${formatLabel(refused.resource.name).toLowerCase()}`
  const lost = item && problem.status === 412
  const main = html`${backLink(chrome, refused)}
<h1>${title}</h1>
${lost ? conflictPages[refused.kind](chrome, item, refused) : repeatedForm(chrome, problem, refused)}`
  return { title: `${problem.title}: ${title}`, main }
}

function repeatedForm(chrome: PageChrome, problem: ProblemView, refused: RefusedForm): Markup {
  const { item } = refused
  const faults = problem.errors ?? []
  const again = refusedForm(chrome, refused, { button: buttonText(refused), faults })
  return html`${faultNotice(problem)}
${again ?? (item && fieldList(chrome, item))}`
}

function buttonText({ kind, title }: RefusedForm): string {
  return kind === 'edit' ? 'Save' : formatLabel(title)
}

interface FormTexts {
  readonly button: string
  readonly faults?: readonly ContentFault[]
}

/** Undefined where the caller can no longer do it. */
function refusedForm(
  chrome: PageChrome,
  refused: RefusedForm,
  texts: FormTexts,
): Markup | undefined {
  const { kind, action, item } = refused
  if (!action) return undefined
  const look = kind === 'delete' ? { look: 'danger' as const } : {}
  return actionForm(chrome, { action, refused, prefix: 'form', item, ...look, ...texts })
}

/** Faults stand beside their fields; what no field is at fault for is said here. */
function faultNotice({ errors, title, detail }: ProblemView): Markup | undefined {
  if (errors && errors.length > 0 && errors.every(isPlaced)) return undefined
  return alert(title, detail)
}

function isPlaced({ pointer }: ContentFault): boolean {
  return pointer !== ''
}

function alert(title: string, text: string | undefined): Markup {
  return html`<div class="alert" role="alert"><p><strong>${title}.</strong> ${text}</p></div>`
}

type ConflictPage = (chrome: PageChrome, item: ItemView, refused: RefusedForm) => Markup

/** What a person reads after each kind of form that was sent too late. */
const conflictPages: Readonly<Record<RefusedForm['kind'], ConflictPage>> = {
  create: editConflict,
  edit: editConflict,
  transition: transitionConflict,
  delete: deleteConflict,
}

function editConflict(chrome: PageChrome, item: ItemView, refused: RefusedForm): Markup {
  const hasPassword = refused.action?.inputs.some(({ field }) => field.kind === 'password')
  const text = [
    'Your changes are not saved yet.',
    'The form below has them, and the present values of all other fields.',
    'Only the fields that you changed are saved.',
    ...(hasPassword ? ['Enter a new password again: it is never kept.'] : []),
  ]
  return html`${alert('This was changed after you opened it', text.join(' '))}
${versionTable(chrome, item, refused)}
${refusedForm(chrome, refused, { button: 'Save my changes' }) ?? html`<p>You may not edit it any more.</p>`}`
}

function transitionConflict(chrome: PageChrome, item: ItemView, refused: RefusedForm): Markup {
  const label = formatLabel(refused.title)
  const title = `This was changed after you opened it, and “${label}” was not done`
  const text = refused.action
    ? 'Look at it as it is now. Then do it, or leave it.'
    : `“${label}” is not possible any more. Below is the item as it is now.`
  return html`${alert(title, text)}
${fieldList(chrome, item)}
${refusedForm(chrome, refused, { button: label })}`
}

function deleteConflict(chrome: PageChrome, item: ItemView, refused: RefusedForm): Markup {
  const text = refused.action
    ? 'Look at it as it is now. Then delete it, or leave it.'
    : 'It cannot be deleted now. Below is the item as it is now.'
  return html`${alert('This was changed after you opened it, and was not deleted', text)}
${fieldList(chrome, item)}
${refusedForm(chrome, refused, { button: 'Delete it as it is now' })}`
}

function backLink({ model }: PageChrome, { resource, item }: RefusedForm): Markup {
  const [uri, name] = item
    ? [itemUri(model, resource, item.row), 'Back to the item as it is now']
    : [collectionUri(model, resource), `Back to ${formatLabel(resource.name).toLowerCase()}`]
  return html`<p><a href="${uri}">← ${name}</a></p>`
}

/** Of each field that the person changed: what is there now beside what was sent. */
function versionTable(
  chrome: PageChrome,
  item: ItemView,
  refused: RefusedForm,
): Markup | undefined {
  const { action, sent } = refused
  if (sent.length === 0) return undefined
  const names = new Set(sent.map(([name]) => name.replace(/\[\]$/, '')))
  const inputs = action?.inputs ?? []
  const rows = inputs
    .filter(({ field }) => names.has(field.name) && item.shape.fields.includes(field))
    .map((input) => {
      const { field } = input
      const mine = sentText(field, sent)
      const differs = mine.replaceAll('\r\n', '\n') !== controlValues(input, undefined).join('\n')
      return html`<tr${differs && html` class="differs"`}><th scope="row">${formatLabel(field.name)}${differs && html`<span class="away"> differs</span>`}</th><td>${fullValue(chrome, item, field)}</td><td><span class="text">${mine === '' ? html`<span class="absent">none</span>` : mine}</span></td></tr>`
    })
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Both versions"><table class="versions"><thead><tr><th scope="col">Field</th><th scope="col">There now</th><th scope="col">Yours</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

function sentText({ name }: FieldModel, sent: RefusedForm['sent']): string {
  const values = sent
    .filter(([one]) => one === name || one === `${name}[]`)
    .map(([, value]) => value)
  return values.filter((value) => value !== '').join('\n')
}
