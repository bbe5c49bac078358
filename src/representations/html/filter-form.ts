/** The filter form of a collection, and links for fields with few values. */

import { rightsOf } from '../../access/rights.ts'
import { type FieldModel, outputFields, type ResourceModel } from '../../definition/model.ts'
import type { PageLayout } from '../../view/page-layout.ts'
import { elementIdsOf, titleKey } from '../../view/set-elements.ts'
import type { CollectionView } from '../../view/view.ts'
import { formatLabel } from './field-label.ts'
import {
  findParameter,
  formatListUri,
  type ListLocation,
  listFormUri,
  parseListLocation,
} from './list-location.ts'
import { html, type Markup } from './markup.ts'

/** Whether the caller may filter and sort by the field, because it is visible on every row. */
export function isQueryable({ caller }: PageLayout, resource: ResourceModel, field: FieldModel): boolean {
  if (!field.filterable || field.kind === 'json') return false
  return rightsOf(resource, caller).visibility.get(field)?.kind === 'always'
}

/** The filter form; it is sent through /forms, which removes empty parameters. */
export function filterForm(layout: PageLayout, { resource }: CollectionView): Markup | undefined {
  const location = parseListLocation(layout)
  const fields = outputFields(resource).filter((field) => isQueryable(layout, resource, field))
  const inputs = fields.flatMap((field) => filterInputs(location, field))
  const words = resource.search.length > 0 && searchInput(location)
  if (inputs.length === 0 && !words) return undefined
  const known = new Set(['q', 'after', 'before', ...fields.flatMap((field) => parameterNames(field))])
  const kept = location.parameters.filter(([name]) => !known.has(name))
  const hidden = kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  return html`<form class="filter" method="get" action="${listFormUri(layout)}" role="search">
${hidden}
${words}
<details><summary>Filter</summary>
<div class="grid">${inputs}</div>
<div class="buttons"><button class="main">Apply</button> <a href="${location.path}">Clear</a></div></details>
</form>`
}

function searchInput(location: ListLocation): Markup {
  return html`<div class="words"><label for="filter-q">Search</label><input id="filter-q" name="q" type="search" value="${findParameter(location, 'q') ?? ''}"><button>Search</button></div>`
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
export function describeFilter({ titles }: PageLayout, name: string, value: string): string {
  if (name === 'q') return `Search: ${value}`
  const [, path = name, operator] = /^([^[]*)\[(\w+)\]$/.exec(name) ?? []
  const label = path.split('.').map(formatLabel).join(' · ')
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

function filterInputs(location: ListLocation, field: FieldModel): readonly Markup[] {
  return parameterNames(field).map((name) => {
    const operator = /\[(\w+)\]$/.exec(name)?.[1]
    const caption = operator === undefined ? '' : ` ${inputCaptions[operator] ?? operator}`
    const id = `filter-${name.replaceAll(/[[\]]/g, '-')}`
    return html`<div class="field"><label for="${id}">${formatLabel(field.name)}${caption}</label>${filterInput(field, id, name, findParameter(location, name) ?? '')}</div>`
  })
}

function filterInput(field: FieldModel, id: string, name: string, value: string): Markup {
  const options = findOptions(field)
  if (options) {
    const items = options.map(
      ([option, shown]) =>
        html`<option value="${option}"${option === value && html` selected`}>${shown}</option>`,
    )
    return html`<select id="${id}" name="${name}"><option value="">Any</option>${items}</select>`
  }
  const { kind } = field
  const day = kind === 'date' || kind === 'timestamp'
  const type = day ? 'date' : kind === 'integer' || kind === 'number' ? 'number' : 'text'
  const mode = kind === 'decimal' && html` inputmode="decimal"`
  const step = kind === 'number' && html` step="any"`
  return html`<input id="${id}" name="${name}" type="${type}" value="${day ? value.slice(0, 10) : value}"${mode}${step}>`
}

function findOptions({
  kind,
  schema,
  state,
}: FieldModel): readonly (readonly [string, string])[] | undefined {
  if (kind === 'boolean')
    return [
      ['true', 'Yes'],
      ['false', 'No'],
    ]
  const values = state?.states ?? (kind === 'choice' ? (schema.enum as readonly unknown[]) : undefined)
  return values?.map((value) => [String(value), formatLabel(String(value))])
}

/** Links that add or remove a filter on one value. */
export function facetList(layout: PageLayout, view: CollectionView): Markup | undefined {
  const location = parseListLocation(layout)
  const fields = view.resource.fields.filter((field) => isQueryable(layout, view.resource, field))
  const lists = fields.flatMap((field) => {
    const referred = field.refs ? findMembers(layout, view, field) : findReferredItems(layout, view, field)
    const values = findOptions(field) ?? referred
    return values.length > 0 ? [facet(location, field, values)] : []
  })
  return lists.length === 0
    ? undefined
    : html`<nav class="facets" aria-label="Filter by value">${lists}</nav>`
}

function facet(
  location: ListLocation,
  { name, refs }: FieldModel,
  values: readonly (readonly [string, string])[],
): Markup {
  const parameter = refs ? `${name}[has]` : name
  const chosen = findParameter(location, parameter)
  const links = values.map(([value, shown]) => {
    const on = value === chosen
    return html`<li><a href="${formatListUri(location, { [parameter]: on ? undefined : value })}"${on && html` aria-current="true"`}>${shown}</a></li>`
  })
  return html`<div class="facet"><h2>${formatLabel(name)}</h2><ul>${links}</ul></div>`
}

const maxReferred = 8

/** The members of the sets that this page shows. */
function findMembers(
  { titles }: PageLayout,
  { items }: CollectionView,
  field: FieldModel,
): readonly (readonly [string, string])[] {
  const target = field.refs?.resource as ResourceModel
  const ids = new Set(items.flatMap((item) => elementIdsOf(item, field)))
  const titled = [...ids].flatMap((id): (readonly [string, string])[] => {
    const title = titles.get(titleKey(target, id))
    return title === undefined ? [] : [[id, title]]
  })
  return titled.slice(0, maxReferred)
}

/** The referenced items that this page shows; there may be too many to list all. */
function findReferredItems(
  { titles }: PageLayout,
  { items }: CollectionView,
  field: FieldModel,
): readonly (readonly [string, string])[] {
  const seen = new Map<string, string>()
  if (!field.ref) return []
  for (const { row, visibleFields } of items) {
    const id = row[field.outputIndex]
    const title = titles.get(String(row[field.index]))
    if (id === null || title === undefined || !visibleFields.fields.includes(field)) continue
    seen.set(String(id), title)
    if (seen.size === maxReferred) break
  }
  return [...seen]
}
