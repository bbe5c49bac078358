/** The actions of HAL-FORMS as HTML forms that work without a script. */

import { currentPassword } from '../../definition/current-password.ts'
import { findFileModel } from '../../definition/file-fields.ts'
import { formatOriginals, originalsName } from '../../formats/form-originals.ts'
import { formActionName } from '../../formats/form-reader.ts'
import { decimalSignName, isNumber } from '../../formats/written-number.ts'
import { formDataType } from '../../http/multipart.ts'
import { formatQueryString } from '../../http/query-string.ts'
import type { ContentFault } from '../../refusal.ts'
import { type Action, formInputs, type Input, type NestedInput } from '../../views/hypermedia-controls.ts'
import { itemTag } from '../../views/opaque-tag.ts'
import { formUriOf } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { itemNoun } from '../markup/collection-nouns.ts'
import { fieldLabel, formatLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { pageLanguage, phrase, translateText } from '../page-language.ts'
import type { RefusedForm } from '../page-view.ts'
import { faultNotice } from './fault-notice.ts'
import { controlId, formControl, isAt } from './form-control.ts'

/** The name of the hidden input with the idempotency key, so that a form sent twice counts once. */
export const formKeyName = '_key'

export interface ActionFormOptions {
  readonly action: Action
  /** The text of the button. */
  readonly button: string
  /** The prefix of the ids of its elements. */
  readonly prefix: string
  /** The item that it changes; undefined if it creates one. */
  readonly item?: ItemView | undefined
  readonly refused?: RefusedForm | undefined
  readonly faults?: readonly ContentFault[]
  /** The style of the button. */
  readonly look?: 'danger' | 'plain'
  /** The URI to return to without sending the form. */
  readonly cancel?: string | undefined
  /** Markup beside its button. */
  readonly beside?: Markup | undefined
  /** Whether its controls are in one narrow column. */
  readonly isNarrow?: true
  /** Adds markup around a control. */
  readonly wrap?: ((input: Input, control: Markup) => Markup) | undefined
}

/** The form of an action; a refused form also shows the values that were sent and the faults. */
export function actionForm(layout: PageLayout, options: ActionFormOptions): Markup {
  const { action, prefix, button, look, faults = [], wrap, isNarrow } = options
  const inputs = formInputs(action)
  const control = (input: Input) => {
    const shown = formControl(layout, input, {
      prefix,
      sent: findSentValues(options.refused, input),
      faults,
      note: noteFor(action, input),
    })
    return wrap ? wrap(input, shown) : shown
  }
  const isRead = action.method === 'GET'
  const hasFiles = inputs.some(({ field, fixed }) => findFileModel(field) && !fixed)
  const encoding = hasFiles && html` enctype="${formDataType}"`
  const hasOwnPage = !action.isOfDocument && !action.isFile
  const isSentInPlace = hasOwnPage && !isRead && inputs.some(({ fixed }) => !fixed)
  const target = formTarget(layout, options)
  return html`<form method="${isRead ? 'get' : 'post'}"${target !== '' && html` action="${target}"`}${encoding}${isSentInPlace && html` data-send`}${asksBeforeLeaving(options) && html` data-ask`} class="form${isNarrow && ' narrow'}">
${faults.length > 0 && faultSummary(faults, action, prefix)}
${isKeyed(action) && html`<input type="hidden" name="${formKeyName}" value="${layout.formKey}">`}
${options.item && !isRead && inputs.length > 0 && hiddenInputs(action)}
${inputs.some(({ field }) => isNumber(field.item ?? field)) && decimalSignInput()}
${action.inputs.map(control)}${(action.nested ?? []).map((one) => nestedControls(one, one.inputs.map(control)))}
<div class="buttons"><button class="${look ?? 'main'}">${button}</button>${options.cancel !== undefined && html` <a href="${options.cancel}">Cancel</a>`}${options.beside}</div>
</form>`
}

/** The controls of an item that the content may have. */
function nestedControls({ target }: NestedInput, controls: readonly Markup[]): Markup | undefined {
  if (controls.length === 0) return undefined
  return html`
<fieldset><legend>${phrase`New ${itemNoun(target)}`} <small>optional</small></legend>${controls}</fieldset>`
}

/** Tells the service how the numbers of the form are written. */
export function decimalSignInput(): Markup {
  return html`<input type="hidden" name="${decimalSignName}" value="${pageLanguage().decimalSign}">`
}

/** The form of a document; where it was refused, with the reason and the values that were sent. */
export function documentForm(layout: PageLayout, action: Action, beside?: Markup): Markup {
  const { problem, form } = layout.refused ?? {}
  const faults = problem?.errors ?? []
  const button = formatLabel(action.title)
  const options: ActionFormOptions = {
    action,
    button,
    prefix: '',
    isNarrow: true,
    beside,
    faults,
    refused: form,
  }
  return html`${problem && faultNotice(problem)}${actionForm(layout, options)}`
}

/** Whether the form is a POST through /forms. */
function isKeyed({ method, createsItem, isDeclared, isFile }: Action): boolean {
  // The page stays when a file comes, and its form may be sent again with other content.
  return method === 'POST' && !isFile && (createsItem === true || isDeclared === true)
}

/** Whether the script asks before changes are lost: on the pages of forms, and on those of refused ones. */
function asksBeforeLeaving({ action, cancel, refused }: ActionFormOptions): boolean {
  const hasValues = formInputs(action).some(({ field, fixed }) => !fixed && !field.kind.isHashed)
  return (
    !action.isOfDocument &&
    action.method !== 'GET' &&
    hasValues &&
    (cancel !== undefined || refused !== undefined)
  )
}

/** A button for each action, with a form if it needs input. */
export function actionButtons(
  layout: PageLayout,
  actions: readonly Action[],
  item?: ItemView,
): Markup | undefined {
  if (actions.length === 0) return undefined
  const buttons = actions.map((action) => {
    const button = formatLabel(action.title)
    const one = actionForm(layout, { action, button, prefix: action.name, item, look: 'plain' })
    if (action.inputs.every(({ fixed }) => fixed)) return one
    return html`<details class="menu"><summary>${button}…</summary>${one}</details>`
  })
  return html`<div class="transitions">${buttons}</div>`
}

/** The name of the action, and the original values. */
function hiddenInputs({ name, inputs }: Action): Markup {
  const originals = formatOriginals(inputs.filter(({ fixed }) => !fixed))
  return html`<input type="hidden" name="${formActionName}" value="${name}">
<input type="hidden" name="${originalsName}" value="${originals}">`
}

/** HTML forms send only GET and POST, so other methods are sent through /forms; also what redirects to an item. */
function formTarget(layout: PageLayout, { action, item }: ActionFormOptions): string {
  const viaForms = formUriOf(layout.model, action.target)
  if (action.createsItem) return viaForms
  if (action.isDeclared) {
    if (action.method === 'GET') return viaForms
    return item ? `${viaForms}?${formatQueryString([['match', formEntityTag(layout, item)]])}` : viaForms
  }
  if (!item || action.method === 'POST') return action.target
  const parameters: [string, string][] = [
    ['method', formMethod(action, item)],
    ['match', formEntityTag(layout, item)],
  ]
  return `${viaForms}?${formatQueryString(parameters)}`
}

/** An edit sends only the changed fields by PATCH, if the resource has PATCH. */
function formMethod({ method, isWhole }: Action, { visibleFields }: ItemView): string {
  return method === 'PUT' && !isWhole && visibleFields.resource.itemMethods.has('PATCH') ? 'PATCH' : method
}

/** The value of If-Match: an entity tag of the current version, in any representation. */
function formEntityTag({ tagKey }: PageLayout, item: ItemView): string {
  const { hypermedia: _, ...plain } = item
  return `"${itemTag(plain, { format: 'html', key: tagKey })}"`
}

/** Names each fault, with a link to its control. The page opens with the focus here. */
function faultSummary(faults: readonly ContentFault[], action: Action, prefix: string): Markup {
  const inputs = formInputs(action)
  const placed = inputs.filter(
    ({ field, fixed }) => !fixed && faults.some(({ pointer }) => isAt(pointer, field.name)),
  )
  const loose = faults.filter(
    ({ pointer }) => !inputs.some(({ field, fixed }) => !fixed && isAt(pointer, field.name)),
  )
  const links = placed.map(({ field }) => {
    const [first] = faults.filter(({ pointer }) => isAt(pointer, field.name))
    return html`<li><a href="#${controlId(prefix, field)}">${fieldLabel(field)}</a>: ${first && translateText(first.detail)}</li>`
  })
  const rest = loose.map(
    ({ pointer, detail }) =>
      html`<li>${pointer === '' ? translateText(detail) : `${pointer.slice(1)}: ${translateText(detail)}`}</li>`,
  )
  return html`<div class="alert" role="alert" tabindex="-1" autofocus>${action.method === 'GET' ? html`<p>Correct these:</p>` : html`<p><strong>Not saved.</strong> Correct these:</p>`}<ul>${links}${rest}</ul></div>`
}

function findSentValues(refused: RefusedForm | undefined, { field }: Input): readonly string[] | undefined {
  if (!refused || field.kind.isHashed) return undefined
  const names = [field.name, `${field.name}[]`]
  const values = refused.sent.filter(([name]) => names.includes(name)).map(([, value]) => value)
  return values.length === 0 ? undefined : values
}

function noteFor({ method }: Action, { field }: Input): string {
  if (field === currentPassword) return phrase`Required to change how you sign in.`
  return field.kind.isHashed && method !== 'POST' ? phrase`Leave empty to keep the current one.` : ''
}
