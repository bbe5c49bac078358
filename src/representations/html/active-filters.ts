/** The active filters of a list, each with a link that removes it. */

import type { PageChrome } from '../../view/page-chrome.ts'
import { describeFilter } from './filter-form.ts'
import { activeFilters, formatListUri, parseListLocation } from './list-location.ts'
import { html, type Markup } from './markup.ts'

export function activeFilterList(chrome: PageChrome): Markup | undefined {
  const location = parseListLocation(chrome)
  const filters = activeFilters(location)
  if (filters.length === 0) return undefined
  const links = filters.map(
    ([name, value]) =>
      html`<li><a href="${formatListUri(location, { [name]: undefined })}"><span class="away">Remove filter:</span> ${describeFilter(chrome, name, value)} <span aria-hidden="true">×</span></a></li>`,
  )
  return html`<ul class="active" aria-label="Active filters">${links}</ul>`
}
