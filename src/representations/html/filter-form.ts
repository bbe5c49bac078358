/** The filter form of a collection, and filters in words. */

import { type FieldModel, outputFields, type ResourceModel } from '../../definition/model.ts'
import type { QueryPair } from '../../http/query-string.ts'
import type { PageLayout } from '../../view/page-layout.ts'
import { fieldLabel, pathLabel } from './field-label.ts'
import { findOptions, isQueryable } from './list-facets.ts'
import { findParameter, type ListLocation, listFormUri, parseListLocation } from './list-location.ts'
import { html, type Markup } from './markup.ts'

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
  const known = new Set(['after', 'before', ...fields.flatMap((field) => parameterNames(field))])
  const kept = location.parameters.filter(([name]) => !known.has(name))
  const hidden = kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  return html`<form class="filter" method="get" action="${listFormUri(layout)}">
${hidden}
<div class="grid">${fields.flatMap((field) => filterInputs(location, field, fault))}</div>
<div class="buttons"><button class="main">Apply</button> <a href="${location.path}">Clear filters</a></div>
</form>`
}

/** Whether the form has an input for the parameter. */
export function hasFilterInput(layout: PageLayout, resource: ResourceModel, parameter: string): boolean {
  const fields = outputFields(resource).filter((field) => isQueryable(layout, resource, field))
  return fields.some((field) => parameterNames(field).includes(parameter))
}

/** The parameters of the form for a field. */
function parameterNames(field: FieldModel): readonly string[] {
  const { name } = field
  switch (field.kind) {
    case 'text':
    case 'email':
    case 'url':
      return [`${name}[contains]`]
    case 'list':
    case 'refs':
      return [`${name}[has]`]
    case 'integer':
    case 'number':
    case 'decimal':
      return [`${name}[gte]`, `${name}[lte]`]
    case 'date':
    case 'timestamp':
      return [`${name}[gte]`, `${name}[lt]`]
    default:
      return [name]
  }
}

const inputCaptions: Readonly<Record<string, string>> = {
  contains: 'contains',
  has: 'has',
  gte: 'from',
  lte: 'up to',
  lt: 'before',
}

/** Describes a filter in words: `stock[gte]=2` is `Stock from 2`. */
export function describeFilter(
  { titles }: PageLayout,
  resource: ResourceModel,
  [name, value]: QueryPair,
): string {
  if (name === 'q') return `Search: ${value}`
  const [, path = name, operator] = /^([^[]*)\[(\w+)\]$/.exec(name) ?? []
  const label = pathLabel(resource, path)
  if (operator === 'missing') return `${label} is ${value === 'false' ? 'present' : 'missing'}`
  const said =
    operator === undefined ? 'is' : (inputCaptions[operator] ?? linkOnlyCaptions[operator] ?? operator)
  return `${label} ${said} ${titles.get(value) ?? value}`
}

/** Operators that the form does not have, but a link may have. */
const linkOnlyCaptions: Readonly<Record<string, string>> = {
  ne: 'is not',
  gt: 'above',
  in: 'is one of',
  starts: 'starts with',
}

function filterInputs(
  location: ListLocation,
  field: FieldModel,
  fault: FilterFault | undefined,
): readonly Markup[] {
  return parameterNames(field).map((name) => {
    const operator = /\[(\w+)\]$/.exec(name)?.[1]
    const caption = operator === undefined ? '' : ` ${inputCaptions[operator] ?? operator}`
    const id = `filter-${name.replaceAll(/[[\]]/g, '-')}`
    const detail = fault?.parameter === name ? fault.detail : undefined
    const value = findParameter(location, name) ?? ''
    return html`<div class="field${detail !== undefined && ' faulty'}"><label for="${id}">${fieldLabel(field)}${caption}</label>${filterInput(field, { id, name, value, isFaulty: detail !== undefined })}${detail !== undefined && html`<p class="fault" id="${id}-fault">${detail}</p>`}</div>`
  })
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
  const { kind } = field
  const fault = isFaulty && html` aria-invalid="true" aria-describedby="${id}-fault" autofocus`
  const day = kind === 'date' || kind === 'timestamp'
  const type = isFaulty ? 'text' : day ? 'date' : kind === 'integer' || kind === 'number' ? 'number' : 'text'
  const mode = kind === 'decimal' && html` inputmode="decimal"`
  const step = kind === 'number' && html` step="any"`
  return html`<input id="${id}" name="${name}" type="${type}" value="${day && !isFaulty ? value.slice(0, 10) : value}"${mode}${step}${fault}>`
}
