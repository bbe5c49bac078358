/** The HTML page of the result of an action: its members with their values. */

import type { HtmlPage } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { formatLabel } from '../../html/markup/field-label.ts'
import { html } from '../../html/markup/markup.ts'
import { phrase } from '../../html/page-language.ts'
import { fieldValues } from '../../html/pages/item-page.ts'
import type { DocumentView } from '../../views/view.ts'

export function resultPage(layout: PageLayout, { name = '', values }: DocumentView): HtmlPage {
  const title = formatLabel(name)
  // The URI of the action is below that of its item or collection.
  const above = layout.uri.slice(0, layout.uri.lastIndexOf('/'))
  const main = html`<p><a href="${above}">← ${phrase`Back`}</a></p>
<h1>${title}</h1>
<dl class="fields">
${values && fieldValues(layout, values)}
</dl>`
  return { title, main }
}
