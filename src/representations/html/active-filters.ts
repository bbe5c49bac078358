/** The active filters of a list, each with a link that removes it. */

import type { ResourceModel } from '../../definition/model.ts'
import type { PageLayout } from '../../view/page-layout.ts'
import { describeFilter } from './filter-text.ts'
import { activeFilters, formatListUri, parseListLocation } from './list-location.ts'
import { html, type Markup } from './markup.ts'

export function activeFilterList(layout: PageLayout, resource: ResourceModel): Markup | undefined {
  const location = parseListLocation(layout)
  const filters = activeFilters(location)
  if (filters.length === 0) return undefined
  const links = filters.map(
    ([name, value]) =>
      html`<li><a href="${formatListUri(location, { [name]: undefined })}"><span class="away">Remove filter:</span> ${describeFilter(layout, resource, [name, value])} <span aria-hidden="true">×</span></a></li>`,
  )
  return html`<ul class="active" aria-label="Active filters">${links}</ul>`
}
