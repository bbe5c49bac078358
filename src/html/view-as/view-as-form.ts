/** "View as": the form by which an administrator sees a page as an account or a role would, and the note on such a page. */

import { parseListLocation } from '../lists/list-location.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { valueInSentence } from '../markup/field-label.ts'
import { html, type Markup, type MarkupPart } from '../markup/markup.ts'
import { declaredRoles, viewAsParameter, viewAsRoleParameter } from './view-as.ts'

/** The form, on pages of collections and items for administrators. */
export function viewAsForm(layout: PageLayout): Markup | undefined {
  const { model, explainsAccess } = layout
  if (!explainsAccess) return undefined
  const { path, parameters } = parseListLocation(layout)
  const kept = parameters.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const options = declaredRoles(model).map(
    (role) => html`<option value="${role}">${valueInSentence(role)}</option>`,
  )
  const byRole =
    options.length > 0 &&
    html`<form method="get" action="${path}">${kept}<div class="field"><label for="view-as-role">Role</label><select id="view-as-role" name="${viewAsRoleParameter}">${options}</select></div><button>View</button></form>`
  return html`<details class="card" id="view-as"><summary>View as…</summary><form method="get" action="${path}">${kept}<div class="field"><label for="view-as-login">Login of the account</label><input id="view-as-login" name="${viewAsParameter}" required autocomplete="off"></div><button>View</button></form>${byRole}</details>`
}

/** The page as another account sees it: links lead to the own view, and no form can be sent. */
export function previewMarkup({ uri, viewedAs }: PageLayout, main: MarkupPart): Markup {
  const { name = '', explanation } = viewedAs ?? {}
  const why = explanation !== undefined && html` <a href="${explanation}">What may they do, and why?</a>`
  return html`<p class="note" role="status">You see this page as ${name} would, as far as you may read it yourself. Nothing can be changed here. <a href="${uri}">Back to your view</a>${why}</p>
<fieldset class="preview" disabled>${main}</fieldset>`
}

/** The form that asks for the explanation of the access to an item, for administrators. */
export function explainAccessForm({ uri, explainsAccess }: PageLayout): Markup | undefined {
  if (!explainsAccess) return undefined
  const [action = ''] = uri.split('?')
  return html`<details class="card" id="explain-access"><summary>Explain access</summary><form method="get" action="${action}"><div class="field"><label for="explain-access-login">Login of the account</label><input id="explain-access-login" name="explain-access" required autocomplete="off"></div><button>Explain</button></form></details>`
}
