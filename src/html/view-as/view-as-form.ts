/** "View as": the forms by which an administrator sees a page as an account or a role would. */

import { formatQueryString, type QueryPair } from '../../http/query-string.ts'
import { accessLookup } from '../../requests/explanations/explanation-document.ts'
import { formAction } from '../../views/form-action.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { pathAboveReserved, reservedUri } from '../../views/uri.ts'
import type { DocumentView } from '../../views/view.ts'
import { actionForm, documentForm } from '../forms/action-form.ts'
import type { HtmlPage } from '../layout.ts'
import { parseListLocation } from '../lists/list-location.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { formatLabel, valueInSentence } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'
import { previewLookup } from './preview-document.ts'
import { asAccountParameter, asRoleParameter, declaredRoles } from './view-as.ts'

/** The forms, on pages of collections and items for administrators. */
export function viewAsForm(layout: PageLayout): Markup | undefined {
  const { model, explainsAccess } = layout
  if (!explainsAccess) return undefined
  const { path, parameters } = parseListLocation(layout)
  const uri = reservedUri(path, 'preview')
  const target = parameters.length === 0 ? uri : `${uri}?${formatQueryString(parameters)}`
  const action = formAction(model, previewLookup, target)
  const byAccount = lookupForm(layout, action, 'view-as')
  return html`<details class="card" id="view-as"><summary>View as…</summary>${byAccount}${roleForm(layout, uri, parameters)}</details>`
}

/** The same forms as a page of their own, which a refused login leads to. */
export function previewPage(layout: PageLayout, { hypermedia }: DocumentView): HtmlPage {
  const { path, parameters } = parseListLocation(layout)
  const kept = parameters.filter(([name]) => name !== asAccountParameter && name !== asRoleParameter)
  const [action] = hypermedia?.actions ?? []
  const title = phrase`View as…`
  const main = html`<nav class="path" aria-label="Breadcrumb"><ol><li><a href="${pathAboveReserved(path)}">Back to your view</a></li></ol></nav>
<h1>${title}</h1>
${action && documentForm(layout, action)}
${roleForm(layout, path, kept)}`
  return { title, main }
}

function roleForm({ model }: PageLayout, uri: string, kept: readonly QueryPair[]): Markup | undefined {
  const roles = declaredRoles(model)
  if (roles.length === 0) return undefined
  const inputs = kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const options = roles.map((role) => html`<option value="${role}">${valueInSentence(role)}</option>`)
  return html`<form method="get" action="${uri}" class="form narrow">${inputs}<div class="field"><label for="view-as-role">Role</label><select id="view-as-role" name="${asRoleParameter}">${options}</select></div><button>View</button></form>`
}

/** The form that asks for the explanation of the access to an item, for administrators. */
export function explainAccessForm(layout: PageLayout): Markup | undefined {
  const { model, uri, explainsAccess } = layout
  if (!explainsAccess) return undefined
  const [path = ''] = uri.split('?')
  const action = formAction(model, accessLookup, reservedUri(path, 'access'))
  return html`<details class="card" id="explain-access"><summary>Explain access</summary>${lookupForm(layout, action, 'explain-access')}</details>`
}

function lookupForm(layout: PageLayout, action: Action, prefix: string): Markup {
  const button = formatLabel(action.title)
  return actionForm(layout, { action, button, prefix, look: 'plain', isNarrow: true })
}
