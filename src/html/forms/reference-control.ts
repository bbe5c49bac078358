/**
 * Controls that choose items by title: a list of all items where they are few, else an input for the id, which the script
 * turns into a combobox with a search.
 */

import type { ResourceModel } from '../../definition/model.ts'
import { formUri } from '../../views/uri.ts'
import type { PageLayout, ReferenceChoice } from '../loading/page-layout.ts'
import { canSearch } from '../loading/reference-search.ts'
import { shortId } from '../markup/display-value.ts'
import { fieldLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { type ControlContext, checkboxes } from './form-entry.ts'

/** The parameter of /forms/{collection} with the text that a picker searches for. No field has such a name. */
export const choicesParameter = '_choices'

/** How a control offers items: all of them, by a search, or not at all, so that ids are typed. */
type Offer = 'all' | 'search' | 'none'

export function offerOf({ layout, input }: Pick<ControlContext, 'layout' | 'input'>): Offer {
  const target = (input.field.ref ?? input.field.refs)?.resource
  if (!target || input.choicesUri === undefined) return 'none'
  if (layout.choices.get(target.name)?.isComplete) return 'all'
  return canSearch(target, layout.caller) ? 'search' : 'none'
}

/** The control of one item; undefined where ids are typed without a search. */
export function referenceControl(context: ControlContext): Markup | undefined {
  const { input, id, attributes, values } = context
  const offer = offerOf(context)
  if (offer === 'none') return undefined
  const [chosen = ''] = values
  if (offer === 'search')
    return picker(context, searchInput(context, { id, name: input.field.name, value: chosen }))
  const options = optionsOf(context).map(
    ({ id: value, title }) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${title}</option>`,
  )
  const isOpen = !input.required || chosen === ''
  return html`<select id="${id}" name="${input.field.name}"${attributes}>${isOpen && html`<option value="">—</option>`}${options}</select>`
}

/** A checkbox for each item; undefined where ids are typed without a search. */
export function referenceSetControl(context: ControlContext): Markup | undefined {
  const { input, id } = context
  const offer = offerOf(context)
  if (offer === 'none') return undefined
  const options = optionsOf(context).map(({ id, title }) => [id, title] as const)
  const boxes = checkboxes(context, options)
  if (offer === 'all') return boxes
  // The label belongs to the first box, or without any to the search.
  const searchId = options.length === 0 ? id : `${id}-find`
  return picker(
    context,
    html`${boxes}
${searchInput(context, { id: searchId, name: `${input.field.name}[]`, value: '' })}`,
  )
}

/** The items that the control offers, and each present value, also one without a title. */
function optionsOf({ layout, input, values }: ControlContext): readonly ReferenceChoice[] {
  const target = (input.field.ref ?? input.field.refs)?.resource
  const { items = [], isComplete } = layout.choices.get(target?.name ?? '') ?? {}
  const known = isComplete ? items : items.filter(({ id }) => values.includes(id))
  const others = values.filter((value) => value !== '' && !known.some(({ id }) => id === value))
  return [...known, ...others.map((id) => ({ id, title: shortId(id) }))]
}

/** An input for an id. The script shows the title in its place. */
function searchInput(
  context: ControlContext,
  { id, name, value }: { readonly id: string; readonly name: string; readonly value: string },
): Markup {
  const { field } = context.input
  const title = optionsOf(context).find((one) => one.id === value)?.title
  const isOne = field.ref !== undefined
  return html`<input id="${id}" name="${name}" value="${value}"${title !== undefined && html` data-title="${title}"`} autocomplete="off" spellcheck="false"${isOne ? context.attributes : html` aria-label="Find ${fieldLabel(field)}"`}>`
}

function picker({ layout, input: { field } }: ControlContext, content: Markup): Markup {
  const target = (field.ref ?? field.refs)?.resource
  return html`<div class="picker"${target && searchAttributes(layout, target)}>${content}</div>`
}

/** Tells the script where to find items by their title. */
export function searchAttributes({ model }: PageLayout, { name }: ResourceModel): Markup {
  return html` data-picker="${formUri(model, [name])}?${choicesParameter}="`
}
