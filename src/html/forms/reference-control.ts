/**
 * Controls that choose items by title: a list of all items where they are few, else of the present
 * ones with a search, which the script turns into a combobox. Without it, a search shows the form
 * again with the items that it found.
 */

import type { ResourceModel } from '../../definition/model.ts'
import { formUri } from '../../views/uri.ts'
import type { PageLayout, ReferenceChoice } from '../loading/page-layout.ts'
import { canSearch } from '../loading/reference-search.ts'
import { collectionNoun } from '../markup/collection-nouns.ts'
import { shortId } from '../markup/display-value.ts'
import { fieldLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'
import { type ControlContext, checkboxes } from './form-entry.ts'

/** The prefix of the inputs with the text to search for; the name of the field follows. */
export const searchPrefix = '_find.'

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

/** A select of one item; undefined where ids are typed. */
export function referenceControl(context: ControlContext): Markup | undefined {
  const offer = offerOf(context)
  if (offer === 'none') return undefined
  const { input, id, attributes, values } = context
  const found = layoutMatches(context)
  // One match is taken as the choice.
  const chosen = found?.length === 1 ? found[0]?.id : values[0]
  const options = optionsOf(context, found).map(
    ({ id: value, title }) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${title}</option>`,
  )
  const isOpen = !input.required || chosen === undefined || chosen === '' || offer === 'search'
  const select = html`<select id="${id}" name="${input.field.name}"${found && html` autofocus`}${attributes}>${isOpen && html`<option value="">—</option>`}${options}</select>`
  return offer === 'all' ? select : picker(context, select)
}

/** A checkbox for each item; undefined where ids are typed. */
export function referenceSetControl(context: ControlContext): Markup | undefined {
  const offer = offerOf(context)
  if (offer === 'none') return undefined
  const options = optionsOf(context, layoutMatches(context)).map(({ id, title }) => [id, title] as const)
  const boxes = checkboxes(context, options)
  if (offer === 'all') return boxes
  // The label belongs to the first box, or without any to the search.
  return picker(context, boxes, options.length === 0 ? context.id : undefined)
}

/** The help of a control with a search. */
export function searchNote({ layout, input }: Pick<ControlContext, 'layout' | 'input'>): string {
  const found = layout.found?.[input.field.name]
  if (!found) return phrase`Search by title, then choose from the list.`
  const [first, ...further] = found.items
  if (!first) return phrase`Nothing found for “${found.text}”.`
  if (input.field.ref && further.length === 0) return phrase`Found for “${found.text}”: ${first.title}.`
  const more = found.hasMore ? ` ${phrase`There are more: search for more of the title.`}` : ''
  return phrase`${found.items.length} found for “${found.text}”. Choose from the list.` + more
}

function layoutMatches({ layout, input }: ControlContext): readonly ReferenceChoice[] | undefined {
  return layout.found?.[input.field.name]?.items
}

/** The items that the control offers, and each present value, also one without a title. */
function optionsOf(
  { layout, input, values }: ControlContext,
  found: readonly ReferenceChoice[] = [],
): readonly ReferenceChoice[] {
  const target = (input.field.ref ?? input.field.refs)?.resource
  const { items = [], isComplete } = layout.choices.get(target?.name ?? '') ?? {}
  const present = isComplete ? items : items.filter(({ id }) => values.includes(id))
  const known = [...present, ...found.filter(({ id }) => !present.some((one) => one.id === id))]
  const others = values.filter((value) => value !== '' && !known.some(({ id }) => id === value))
  return [...known, ...others.map((id) => ({ id, title: shortId(id) }))]
}

function picker({ layout, input, id }: ControlContext, list: Markup, searchId = `${id}-find`): Markup {
  const { field } = input
  const target = (field.ref ?? field.refs)?.resource
  return html`<div class="picker"${target && searchAttributes(layout, target)}>${list}
<div class="find"><input type="search" id="${searchId}" name="${searchPrefix}${field.name}" aria-label="Find ${fieldLabel(field)}" placeholder="Search ${target && collectionNoun(target)}"><button formnovalidate>Find</button></div></div>`
}

/** Tells the script where to find items by their title. */
export function searchAttributes({ model }: PageLayout, { name }: ResourceModel): Markup {
  return html` data-picker="${formUri(model, [name])}?${choicesParameter}="`
}
