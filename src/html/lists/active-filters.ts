/** The active filters of a list, each with a link that removes it. */

import type { ResourceModel } from '../../definition/model.ts'
import { systemFields } from '../../definition/system-fields.ts'
import type { QueryPair } from '../../http/query-string.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { shortTimeMarkup } from '../markup/display-value.ts'
import { html, type Markup, trustedMarkup } from '../markup/markup.ts'
import { describeFilter } from './filter-text.ts'
import { activeFilters, formatListUri, parseListLocation } from './list-location.ts'

export function activeFilterList(layout: PageLayout, resource: ResourceModel): Markup | undefined {
  const location = parseListLocation(layout)
  const filters = activeFilters(location)
  if (filters.length === 0) return undefined
  const links = filters.map(
    ([name, value]) =>
      html`<li><a href="${formatListUri(location, { [name]: undefined })}"><span class="away">Remove filter:</span> ${filterMarkup(layout, resource, [name, value])} <span aria-hidden="true">×</span></a></li>`,
  )
  return html`<ul class="active" aria-label="Active filters">${links}</ul>`
}

/** The filter in words. A time is marked as one, so that the script shows it in the time zone of the browser. */
function filterMarkup(layout: PageLayout, resource: ResourceModel, filter: QueryPair): Markup {
  const text = describeFilter(layout, resource, filter)
  const [name, value] = filter
  const [path = ''] = name.split('[')
  const field = systemFields.get(path) ?? resource.fieldByName.get(path)
  if (field?.kind.order !== 'instant' || !/T.*Z$/.test(value)) return html`${text}`
  return html`${text.slice(0, -value.length)}${trustedMarkup(shortTimeMarkup(value))}`
}
