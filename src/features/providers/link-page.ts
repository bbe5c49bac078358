/** The page of a link to a provider that was refused. The form itself is on the page to sign in. */

import { documentForm } from '../../html/forms/action-form.ts'
import type { HtmlPage } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { html } from '../../html/markup/markup.ts'
import { phrase } from '../../html/page-language.ts'
import type { DocumentView } from '../../views/view.ts'

export function linkPage(layout: PageLayout, { hypermedia }: DocumentView): HtmlPage {
  const [action] = hypermedia?.actions ?? []
  const title = phrase`Link a provider`
  return { title, main: html`<h1>${title}</h1>${action && documentForm(layout, action)}` }
}
