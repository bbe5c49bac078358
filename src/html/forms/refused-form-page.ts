/** The page of a refused form: the form with its faults, or after a conflict the choice between both versions. */

import { findFileModel } from '../../definition/file-fields.ts'
import type { ContentFault } from '../../refusal.ts'
import type { Input } from '../../views/hypermedia-controls.ts'
import { collectionUri, homeUri, itemUri } from '../../views/uri.ts'
import type { ItemView, ProblemView } from '../../views/view.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { collectionNoun, itemNoun } from '../markup/collection-nouns.ts'
import { formatLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase, translated } from '../page-language.ts'
import type { RefusedForm } from '../page-view.ts'
import { fieldList, itemTitle } from '../pages/item-page.ts'
import { type ActionFormOptions, actionForm } from './action-form.ts'
import { conflictChoice, isChoice, sentValues } from './conflict-choice.ts'
import { faultNotice, refusalNotice } from './fault-notice.ts'

export function refusedFormPage(layout: PageLayout, problem: ProblemView, refused: RefusedForm): HtmlPage {
  const { item } = refused
  const title = item ? itemTitle(layout, item) : collectionTitle(refused)
  const lost = item && problem.status === 412
  const main = html`${backLink(layout, refused)}
<h1>${title}</h1>
${lost ? conflictPages[refused.kind](layout, item, refused) : repeatedForm(layout, problem, refused)}`
  return { title: `${translated(problem.title)}: ${title}`, main }
}

function collectionTitle({ kind, title, resource }: RefusedForm): string {
  return kind === 'action' ? formatLabel(title) : phrase`New ${itemNoun(resource)}`
}

function repeatedForm(layout: PageLayout, problem: ProblemView, refused: RefusedForm): Markup {
  const { item } = refused
  const faults = problem.errors ?? []
  const again = refusedForm(layout, refused, { button: buttonText(refused), faults })
  return html`${faultNotice(problem)}
${again ?? (item && fieldList(layout, item))}`
}

function buttonText({ kind, title }: RefusedForm): string {
  return kind === 'edit' ? phrase`Save` : formatLabel(title)
}

interface FormTexts {
  readonly button: string
  readonly faults?: readonly ContentFault[]
  readonly wrap?: ActionFormOptions['wrap']
}

/** Undefined if the caller can no longer do it. */
function refusedForm(layout: PageLayout, refused: RefusedForm, texts: FormTexts): Markup | undefined {
  const { kind, action, item } = refused
  if (!action) return undefined
  const look = kind === 'delete' ? { look: 'danger' as const } : {}
  return actionForm(layout, { action, refused, prefix: 'form', item, ...look, ...texts })
}

type ConflictPage = (layout: PageLayout, item: ItemView, refused: RefusedForm) => Markup

/** The content of the page after a conflict, by the kind of the form. */
const conflictPages: Readonly<Record<RefusedForm['kind'], ConflictPage>> = {
  create: editConflict,
  edit: editConflict,
  transition: transitionConflict,
  delete: deleteConflict,
  action: transitionConflict,
}

function editConflict(layout: PageLayout, item: ItemView, refused: RefusedForm): Markup {
  const { action, sent } = refused
  const inputs = action?.inputs ?? []
  const isAsked = inputs.some((input) => isChoice(input, refused))
  const isSecret = ({ field, fixed }: Input) => field.kind.isHashed && !fixed
  const isFile = ({ field, fixed }: Input) => findFileModel(field) !== undefined && !fixed
  const text = [
    phrase`Your changes are not saved yet.`,
    isAsked
      ? phrase`For each field that both edits changed, choose the value to keep. All other changes are kept.`
      : phrase`Check the current values and your changes below, then save.`,
    ...(inputs.some(isSecret) ? [phrase`Enter a new password again: it is not stored.`] : []),
    ...(inputs.some(isFile) ? [phrase`Choose new files again.`] : []),
  ]
  const wrap = (input: Input, control: Markup) =>
    isChoice(input, refused) ? conflictChoice(layout, item, input, control) : control
  return html`${refusalNotice(phrase`This item changed after you opened it`, text.join(' '))}
${refusedForm(layout, refused, { button: phrase`Save`, wrap }) ?? html`<p>You can no longer edit this item.</p>${sentValues(refused.resource, sent)}`}`
}

function transitionConflict(layout: PageLayout, item: ItemView, refused: RefusedForm): Markup {
  const label = formatLabel(refused.title)
  const title = phrase`This item changed after you opened it, so “${label}” was not done`
  const text = refused.action
    ? phrase`Check the current item below. To continue, choose “${label} anyway”.`
    : `“${label}” is no longer possible. The current item is below.`
  return html`${refusalNotice(title, text)}
${fieldList(layout, item)}
${refusedForm(layout, refused, { button: phrase`${label} anyway` })}`
}

function deleteConflict(layout: PageLayout, item: ItemView, refused: RefusedForm): Markup {
  const text = refused.action
    ? phrase`Check the current item below. To delete it, choose “Delete anyway”.`
    : phrase`You can no longer delete it. The current item is below.`
  return html`${refusalNotice(phrase`This item changed after you opened it, so it was not deleted`, text)}
${fieldList(layout, item)}
${refusedForm(layout, refused, { button: phrase`Delete anyway` })}`
}

function backLink({ model }: PageLayout, { kind, resource, item, action }: RefusedForm): Markup {
  // A form that creates an item is sent to its collection or sub-collection.
  if (resource === model.service) return html`<p><a href="${homeUri(model)}">← ${phrase`Back`}</a></p>`
  const collection = (kind === 'create' && action?.target) || collectionUri(model, resource)
  const [uri, name] = item
    ? [itemUri(model, resource, item.row), phrase`Back to the current item`]
    : [collection, phrase`Back to ${collectionNoun(resource)}`]
  return html`<p><a href="${uri}">← ${name}</a></p>`
}
