/** The main part of a page that an administrator sees as an account or a role would. */

import type { PageLayout } from '../loading/page-layout.ts'
import { html, type Markup, type MarkupPart } from '../markup/markup.ts'

/** The page as another account sees it: links lead to the own view, and no form can be sent. */
export function previewMarkup({ uri, viewedAs }: PageLayout, main: MarkupPart): Markup {
  const { name = '', explanation } = viewedAs ?? {}
  const why = explanation !== undefined && html` <a href="${explanation}">What may they do, and why?</a>`
  return html`<p class="note" role="status">You see this page as ${name} would, as far as you may read it yourself. Nothing can be changed here. <a href="${uri}">Back to your view</a>${why}</p>
<fieldset class="preview" disabled>${main}</fieldset>`
}
