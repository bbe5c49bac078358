/** The filter form of a collection. */

import { type FieldModel, outputFields, type ResourceModel } from '../../definition/model.ts'
import { isNumber, writeNumber } from '../../formats/written-number.ts'
import { isListable } from '../../views/form-input.ts'
import { decimalSignInput } from '../forms/action-form.ts'
import { searchAttributes } from '../forms/reference-control.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { findSearchableTitle } from '../loading/reference-search.ts'
import { fieldLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { pageLanguage, translated } from '../page-language.ts'
import { captions } from './filter-text.ts'
import { findOptions, isQueryable } from './list-facets.ts'
import { findParameter, listFormUri, parseListLocation } from './list-location.ts'

/** A filter that was refused: the parameter, and why. */
export interface FilterFault {
  readonly parameter: string
  readonly detail: string
}

/** The filter form; it is sent through /forms, which removes empty parameters. Undefined without a field to filter by. */
export function filterForm(
  layout: PageLayout,
  resource: ResourceModel,
  fault?: FilterFault,
): Markup | undefined {
  const location = parseListLocation(layout)
  const fields = outputFields(resource).filter((field) => isQueryable(layout, resource, field))
  if (fields.length === 0) return undefined
  const known = new Set(['after', 'before', ...fields.flatMap((field) => parameterNames(layout, field))])
  const kept = location.parameters.filter(([name]) => !known.has(name))
  const hidden = kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  return html`<form class="filter" method="get" action="${listFormUri(layout)}">
${hidden}${fields.some(isNumber) && decimalSignInput()}
<div class="grid">${fields.flatMap((field) => filterInputs(layout, field, fault))}</div>
<div class="buttons"><button class="main">Apply</button> <a href="${location.path}">Clear filters</a></div>
</form>`
}

/** Whether the form has an input for the parameter. */
export function hasFilterInput(layout: PageLayout, resource: ResourceModel, parameter: string): boolean {
  const fields = outputFields(resource).filter((field) => isQueryable(layout, resource, field))
  return fields.some((field) => parameterNames(layout, field).includes(parameter))
}

/** The parameters of the form for a field. A reference is filtered by title, or by the item that was chosen. */
function parameterNames(layout: PageLayout, field: FieldModel): readonly string[] {
  const title = titleParameter(layout, field)
  return title === undefined ? valueParameters(field) : [title, ...valueParameters(field)]
}

/** `author.name[contains]`; undefined where the caller cannot filter by the title of the items. */
function titleParameter({ caller }: PageLayout, { name, ref, refs }: FieldModel): string | undefined {
  const target = (ref ?? refs)?.resource
  const title = target && findSearchableTitle(target, caller)
  return title && `${name}.${title.name}[contains]`
}

function valueParameters(field: FieldModel): readonly string[] {
  const { name, kind } = field
  if (kind.operators === 'text') return [`${name}[contains]`]
  if (kind.operators === 'membership') return [`${name}[has]`]
  if (kind.order === 'amount') return [`${name}[gte]`, `${name}[lte]`]
  if (kind.order === 'day' || kind.order === 'instant') return [`${name}[gte]`, `${name}[lt]`]
  return [name]
}

function filterInputs(
  layout: PageLayout,
  field: FieldModel,
  fault: FilterFault | undefined,
): readonly Markup[] {
  const title = titleParameter(layout, field)
  const names = title === undefined ? valueParameters(field) : [title]
  return names.map((name) => {
    const operator = /\[(\w+)\]$/.exec(name)?.[1]
    const caption = operator === undefined || title ? '' : ` ${translated(captions[operator] ?? operator)}`
    const id = `filter-${name.replaceAll(/[[\].]/g, '-')}`
    const detail = fault?.parameter === name ? fault.detail : undefined
    const value = findParameter(parseListLocation(layout), name) ?? ''
    const input = { id, name, value, isFaulty: detail !== undefined }
    const control = title === undefined ? filterInput(field, input) : referenceFilter(layout, field, input)
    const zone = field.kind.order === 'instant' && html` <small>UTC</small>`
    return html`<div class="field${detail !== undefined && ' faulty'}"><label for="${id}">${fieldLabel(field)}${caption}${zone}</label>${control}${detail !== undefined && html`<p class="fault" id="${id}-fault">${detail}</p>`}</div>`
  })
}

/** A text that the titles contain. With script, a combobox that can also choose one item. */
function referenceFilter(layout: PageLayout, field: FieldModel, input: FilterInput): Markup {
  const target = (field.ref ?? field.refs)?.resource
  const [parameter = ''] = valueParameters(field)
  const chosen = findParameter(parseListLocation(layout), parameter)
  const text = filterInput(field, input)
  if (!target) return text
  const title = layout.choices.get(target.name)?.items.find(({ id }) => id === chosen)?.title ?? chosen
  const select =
    chosen !== undefined &&
    html`<select name="${parameter}" aria-label="${fieldLabel(field)} is"><option value="">Any</option><option value="${chosen}" selected>${title}</option></select>`
  const attributes = isListable(target, layout.caller) && searchAttributes(layout, target)
  return html`<div class="picker"${attributes} data-name="${parameter}">${select}${text}</div>`
}

interface FilterInput {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly isFaulty: boolean
}

function filterInput(field: FieldModel, { id, name, value, isFaulty }: FilterInput): Markup {
  const options = findOptions(field)
  if (options) {
    const items = options.map(
      ([option, shown]) =>
        html`<option value="${option}"${option === value && html` selected`}>${shown}</option>`,
    )
    return html`<select id="${id}" name="${name}"><option value="">Any</option>${items}</select>`
  }
  const { order } = field.kind
  const fault = isFaulty && html` aria-invalid="true" aria-describedby="${id}-fault" autofocus`
  const day = order === 'day' || order === 'instant'
  const type = day && !isFaulty ? 'date' : 'text'
  const shown = isNumber(field) ? writeNumber(value, pageLanguage().decimalSign) : value
  const mode =
    isNumber(field) && html` inputmode="${field.schema.type === 'integer' ? 'numeric' : 'decimal'}"`
  // The script shows the day in the time zone of the browser.
  const instant = order === 'instant' && !isFaulty && html` data-instant="${value}"`
  return html`<input id="${id}" name="${name}" type="${type}" value="${day && !isFaulty ? value.slice(0, 10) : shown}"${mode}${instant}${fault}>`
}
