/** Links that add or remove a filter on one value, with the number of items that have it. */

import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import type { CollectionView } from '../../views/view.ts'
import type { Facet, PageLayout } from '../loading/page-layout.ts'
import { fieldLabel, formatLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { formatNumber, phrase } from '../page-language.ts'
import { findParameter, formatListUri, type ListLocation, parseListLocation } from './list-location.ts'

/** Whether the caller may filter and sort by the field, because it is visible on every row. */
export function isQueryable({ caller }: PageLayout, resource: ResourceModel, field: FieldModel): boolean {
  if (!field.filterable) return false
  return rightsOf(resource, caller).visibility.get(field)?.kind === 'always'
}

/** The values of a boolean, choice or state field, with their labels; undefined for other kinds. */
export function findOptions({
  kind,
  schema,
  state,
}: FieldModel): readonly (readonly [value: string, label: string])[] | undefined {
  if (kind.shape === 'boolean')
    return [
      ['true', phrase`Yes`],
      ['false', phrase`No`],
    ]
  const values = state?.states ?? (kind.choices === 'any' ? (schema.enum as readonly unknown[]) : undefined)
  return values?.map((value) => [String(value), formatLabel(String(value))])
}

const mostFacets = 4

/** The fields whose values are counted: enumerations and references. */
export function findFacetFields(layout: PageLayout, resource: ResourceModel): readonly FieldModel[] {
  const fields = resource.fields.filter((field) => isQueryable(layout, resource, field))
  return fields.filter((field) => field.ref || findOptions(field)).slice(0, mostFacets)
}

/** A value to filter by. Its count is undefined where items are not counted. */
interface FacetLink {
  readonly value: string
  readonly text: string
  readonly count: number | undefined
}

export function facetList(layout: PageLayout, view: CollectionView): Markup | undefined {
  const location = parseListLocation(layout)
  const fields = view.resource.fields.filter((field) => isQueryable(layout, view.resource, field))
  const lists = fields.flatMap((field) => {
    const links = findLinks(layout, field)
    return links.length > 0 ? [facet(location, field, links)] : []
  })
  return lists.length === 0
    ? undefined
    : html`<nav class="facets" aria-label="Filter by value">${lists}</nav>`
}

function findLinks(layout: PageLayout, field: FieldModel): readonly FacetLink[] {
  const counted = layout.figures?.facets?.find(({ name }) => name === field.name)
  const options = findOptions(field)
  if (options)
    return options.map(([value, text]) => ({ value, text, count: counted && countOf(counted, value) }))
  return (counted?.values ?? []).map(({ value, title = value, count }) => ({ value, text: title, count }))
}

function countOf({ values }: Facet, value: string): number {
  return values.find((one) => one.value === value)?.count ?? 0
}

function facet(location: ListLocation, field: FieldModel, facetLinks: readonly FacetLink[]): Markup {
  const { name } = field
  const chosen = findParameter(location, name)
  const links = facetLinks.map(({ value, text, count }) => {
    const isChosen = value === chosen
    const uri = formatListUri(location, { [name]: isChosen ? undefined : value })
    const tally = count !== undefined && html` <small>${formatNumber(count)}</small>`
    const tone = field.tones.get(value)
    return html`<li><a href="${uri}"${tone !== undefined && html` data-tone="${tone}"`}${isChosen && html` aria-current="true"`}>${text}${tally}</a></li>`
  })
  return html`<div class="facet"><h2>${fieldLabel(field)}</h2><ul>${links}</ul></div>`
}
