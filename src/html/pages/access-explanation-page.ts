/** The HTML page of an access explanation, and the form on the page of an item that asks for one. */

import type { JsonValue } from '../../definition/model.ts'
import type { DocumentView } from '../../views/view.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { formatLabel } from '../markup/field-label.ts'
import { englishText, html, type Markup } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'
import { parentPath } from '../parent-path.ts'

type Members = Readonly<Record<string, JsonValue>>

export function accessExplanationPage(layout: PageLayout, { data }: DocumentView): HtmlPage {
  // The data of requests/explanations/explanation-document.ts.
  const entries = data as readonly Members[]
  const login = new URLSearchParams(layout.uri.split('?')[1]).get('explain-access')
  const main = html`${parentPath(layout, phrase`Access`)}
<h1>Access of ${login ?? ''}</h1>
<div class="scroll" tabindex="0" role="region" aria-label="Access"><table><thead><tr><th scope="col">What</th><th scope="col">Allowed</th><th scope="col">Rule</th><th scope="col">Why</th></tr></thead>
<tbody>${entries.map(entryRow)}</tbody></table></div>`
  return { title: `${phrase`Access`} · ${layout.parent?.title ?? ''}`, main }
}

function entryRow({ operation, name, allowed, rule, because }: Members): Markup {
  const what = formatLabel(String(operation))
  return html`<tr><td>${name === undefined ? what : `${what}: ${String(name)}`}</td><td>${allowed ? phrase`yes` : phrase`no`}</td><td>${englishText(String(rule))}</td><td>${englishText(String(because))}</td></tr>`
}

/** The form on the page of an item, for administrators. */
export function explainAccessForm({ uri, explainsAccess }: PageLayout): Markup | undefined {
  if (!explainsAccess) return undefined
  const [action = ''] = uri.split('?')
  return html`<details class="card" id="explain-access"><summary>Explain access</summary><form method="get" action="${action}"><div class="field"><label for="explain-access-login">Login of the account</label><input id="explain-access-login" name="explain-access" required autocomplete="off"></div><button>Explain</button></form></details>`
}
