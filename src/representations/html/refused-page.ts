/** A form that was refused: itself again, with what is wrong; after a lost race, with both versions. */

import type { FieldModel } from '../../declare/model.ts'
import type { ContentFault } from '../../refusal.ts'
import type { Frame, RefusedForm } from '../../view/frame.ts'
import { collectionUri, itemUri } from '../../view/uri.ts'
import type { ItemView, ProblemView } from '../../view/view.ts'
import { valuesOf } from './control.ts'
import { form } from './form.ts'
import { itemTitle, matchOf } from './item-page.ts'
import { labelOf } from './label.ts'
import type { Page } from './layout.ts'
import { html, type Safe } from './markup.ts'
import { fullValue } from './value.ts'

export function refusedPage(frame: Frame, problem: ProblemView, refused: RefusedForm): Page {
  const { action, item } = refused
  const title = item ? itemTitle(item) : `New in ${labelOf(refused.resource.name).toLowerCase()}`
  const lost = problem.status === 412 && item !== undefined
  const main = html`${wayBack(frame, refused)}
<h1>${title}</h1>
${lost ? raceNotice() : notice(problem)}
${lost && versions(frame, item, refused)}
${form(frame, {
  action,
  refused,
  prefix: 'form',
  button: lost
    ? 'Save mine over it'
    : item
      ? labelOf(action.title === 'Edit' ? 'Save' : action.title)
      : 'Create',
  faults: problem.errors ?? [],
  match: item && matchOf(item),
  ...(action.method === 'DELETE' ? { look: 'danger' as const } : {}),
})}`
  return { title: `${problem.title}: ${title}`, main }
}

/** Faults stand beside their fields; what no field is at fault for is said here. */
function notice({ errors, title, detail }: ProblemView): Safe | undefined {
  if (errors && errors.length > 0 && errors.every(isPlaced)) return undefined
  return html`<div class="alert" role="alert"><p><strong>${title}.</strong> ${detail ?? ''}</p></div>`
}

function isPlaced({ pointer }: ContentFault): boolean {
  return pointer !== ''
}

function raceNotice(): Safe {
  return html`<div class="alert" role="alert"><p><strong>Someone else changed this meanwhile.</strong> Nothing of yours was saved yet. Compare both versions, then save yours over it or leave it as it is.</p></div>`
}

function wayBack({ model }: Frame, { resource, item }: RefusedForm): Safe {
  const [uri, name] = item
    ? [itemUri(model, resource, item.row), 'Back to the item as it is now']
    : [collectionUri(model, resource), `Back to ${labelOf(resource.name).toLowerCase()}`]
  return html`<p><a href="${uri}">← ${name}</a></p>`
}

/** What is there now beside what was sent. */
function versions(frame: Frame, item: ItemView, { action, sent }: RefusedForm): Safe {
  const rows = action.inputs
    .filter(({ field }) => field.kind !== 'password' && item.shape.fields.includes(field))
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
