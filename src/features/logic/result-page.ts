/** The HTML page of the result of an action or a query: its members with their values, and the form to ask again. */

import { actionForm } from '../../html/forms/action-form.ts'
import type { HtmlPage } from '../../html/layout.ts'
import { itemsTable } from '../../html/lists/items-table.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { collectionNoun, formatCount } from '../../html/markup/collection-nouns.ts'
import { formatLabel } from '../../html/markup/field-label.ts'
import { html, type Markup } from '../../html/markup/markup.ts'
import { phrase } from '../../html/page-language.ts'
import { fieldValues } from '../../html/pages/item-page.ts'
import type { CollectionView, DocumentView } from '../../views/view.ts'

export function resultPage(
  layout: PageLayout,
  { name = '', values, items, hypermedia }: DocumentView,
): HtmlPage {
  const title = formatLabel(name)
  // The URI of the action is below that of its item or collection.
  const [path = ''] = layout.uri.split('?')
  const above = path.slice(0, path.lastIndexOf('/')) || '/'
  const [form] = hypermedia?.actions ?? []
  const asked =
    form && form.inputs.length > 0 && actionForm(layout, { action: form, prefix: 'query', button: title })
  const main = html`<p><a href="${above}">← ${phrase`Back`}</a></p>
<h1>${title}</h1>
${asked && html`${asked}<h2>Result</h2>`}
${
  items
    ? itemsSection(layout, items)
    : html`<dl class="fields">
${values && fieldValues(layout, values)}
</dl>`
}`
  return { title, main }
}

function itemsSection(layout: PageLayout, view: CollectionView): Markup {
  const { items, resource } = view
  if (items.length === 0) return html`<div class="empty"><p>No ${collectionNoun(resource)} match.</p></div>`
  return html`<p class="count">${formatCount(resource, items.length)}</p>${itemsTable(layout, view, 'result')}`
}
