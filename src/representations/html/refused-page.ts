/** A form that was refused: itself again with what is wrong, or, after a lost race, what changed meanwhile. */

import type { FieldModel } from '../../declare/model.ts'
import type { ContentFault } from '../../refusal.ts'
import type { Frame, RefusedForm } from '../../view/frame.ts'
import { collectionUri, itemUri } from '../../view/uri.ts'
import type { ItemView, ProblemView } from '../../view/view.ts'
import { valuesOf } from './control.ts'
import { form } from './form.ts'
import { fieldList, itemTitle } from './item-page.ts'
import { labelOf } from './label.ts'
import type { Page } from './layout.ts'
import { html, type Safe } from './markup.ts'
import { fullValue } from './value.ts'

export function refusedPage(frame: Frame, problem: ProblemView, refused: RefusedForm): Page {
  const { item } = refused
  const title = item ? itemTitle(item) : `New in ${labelOf(refused.resource.name).toLowerCase()}`
  const lost = item && problem.status === 412
  const main = html`${wayBack(frame, refused)}
<h1>${title}</h1>
${lost ? lostRaces[refused.kind](frame, item, refused) : formAgain(frame, problem, refused)}`
  return { title: `${problem.title}: ${title}`, main }
}

function formAgain(frame: Frame, problem: ProblemView, refused: RefusedForm): Safe {
  const { item } = refused
  const faults = problem.errors ?? []
  const again = refusedForm(frame, refused, { button: buttonOf(refused), faults })
  return html`${notice(problem)}
${again ?? (item && fieldList(frame, item))}`
}

function buttonOf({ kind, title }: RefusedForm): string {
  return kind === 'edit' ? 'Save' : labelOf(title)
}

interface FormTexts {
  readonly button: string
  readonly faults?: readonly ContentFault[]
}

/** Undefined where the caller can no longer do it. */
function refusedForm(frame: Frame, refused: RefusedForm, texts: FormTexts): Safe | undefined {
  const { kind, action, item } = refused
  if (!action) return undefined
  const look = kind === 'delete' ? { look: 'danger' as const } : {}
  return form(frame, { action, refused, prefix: 'form', item, ...look, ...texts })
}

/** Faults stand beside their fields; what no field is at fault for is said here. */
function notice({ errors, title, detail }: ProblemView): Safe | undefined {
  if (errors && errors.length > 0 && errors.every(isPlaced)) return undefined
  return alert(title, detail)
}

function isPlaced({ pointer }: ContentFault): boolean {
  return pointer !== ''
}

function alert(title: string, text: string | undefined): Safe {
  return html`<div class="alert" role="alert"><p><strong>${title}.</strong> ${text}</p></div>`
}

type LostRace = (frame: Frame, item: ItemView, refused: RefusedForm) => Safe

/** What a person reads after each kind of form that was sent too late. */
const lostRaces: Readonly<Record<RefusedForm['kind'], LostRace>> = {
  create: lostEdit,
  edit: lostEdit,
  transition: lostTransition,
  delete: lostDeletion,
}

function lostEdit(frame: Frame, item: ItemView, refused: RefusedForm): Safe {
  const hasPassword = refused.action?.inputs.some(({ field }) => field.kind === 'password')
  const text = [
    'Your changes are not saved yet.',
    'The form below has them, and the present values of all other fields.',
    'Only the fields that you changed are saved.',
    ...(hasPassword ? ['Enter a new password again: it is never kept.'] : []),
  ]
  return html`${alert('This was changed after you opened it', text.join(' '))}
${versions(frame, item, refused)}
${refusedForm(frame, refused, { button: 'Save my changes' }) ?? html`<p>You may not edit it any more.</p>`}`
}

function lostTransition(frame: Frame, item: ItemView, refused: RefusedForm): Safe {
  const label = labelOf(refused.title)
  const title = `This was changed after you opened it, and “${label}” was not done`
  const text = refused.action
    ? 'Look at it as it is now. Then do it, or leave it.'
    : `“${label}” is not possible any more. Below is the item as it is now.`
  return html`${alert(title, text)}
${fieldList(frame, item)}
${refusedForm(frame, refused, { button: label })}`
}

function lostDeletion(frame: Frame, item: ItemView, refused: RefusedForm): Safe {
  const text = refused.action
    ? 'Look at it as it is now. Then delete it, or leave it.'
    : 'It cannot be deleted now. Below is the item as it is now.'
  return html`${alert('This was changed after you opened it, and was not deleted', text)}
${fieldList(frame, item)}
${refusedForm(frame, refused, { button: 'Delete it as it is now' })}`
}

function wayBack({ model }: Frame, { resource, item }: RefusedForm): Safe {
  const [uri, name] = item
    ? [itemUri(model, resource, item.row), 'Back to the item as it is now']
    : [collectionUri(model, resource), `Back to ${labelOf(resource.name).toLowerCase()}`]
  return html`<p><a href="${uri}">← ${name}</a></p>`
}

/** Of each field that the person changed: what is there now beside what was sent. */
function versions(frame: Frame, item: ItemView, refused: RefusedForm): Safe | undefined {
  const { action, sent } = refused
  if (sent.length === 0) return undefined
  const names = new Set(sent.map(([name]) => name.replace(/\[\]$/, '')))
  const inputs = action?.inputs ?? []
  const rows = inputs
    .filter(({ field }) => names.has(field.name) && item.shape.fields.includes(field))
    .map((input) => {
      const { field } = input
      const mine = sentText(field, sent)
      const differs = mine.replaceAll('\r\n', '\n') !== valuesOf(input, undefined).join('\n')
      return html`<tr${differs && html` class="differs"`}><th scope="row">${labelOf(field.name)}${differs && html`<span class="away"> differs</span>`}</th><td>${fullValue(frame, item, field)}</td><td><span class="text">${mine === '' ? html`<span class="absent">none</span>` : mine}</span></td></tr>`
    })
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Both versions"><table class="versions"><thead><tr><th scope="col">Field</th><th scope="col">There now</th><th scope="col">Yours</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

function sentText({ name }: FieldModel, sent: RefusedForm['sent']): string {
  const values = sent
    .filter(([one]) => one === name || one === `${name}[]`)
    .map(([, value]) => value)
  return values.filter((value) => value !== '').join('\n')
}
