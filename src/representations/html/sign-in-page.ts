/** The sign-in page, with the form to create an account if anonymous callers may. */

import type { PageChrome } from '../../view/page-chrome.ts'
import { signInUri } from '../../view/uri.ts'
import type { DocumentView } from '../../view/view.ts'
import { actionForm } from './action-form.ts'
import { formatLabel } from './field-label.ts'
import { type HtmlPage, signInQuery } from './layout.ts'
import { html, type Markup } from './markup.ts'

export function signInPage(chrome: PageChrome, { hypermedia }: DocumentView): HtmlPage {
  const signUp = hypermedia?.actions.find(({ name }) => name === 'sign-up')
  const main = html`<h1>Sign in</h1>
${chrome.caller.kind !== 'anonymous' && html`<p class="note">You are already signed in.</p>`}
${signInForm(chrome)}
${signUp && html`<section><h2>New here?</h2><details class="card" id="sign-up"><summary>Sign up</summary>${actionForm(chrome, { action: signUp, prefix: 'sign-up', button: 'Sign up' })}</details></section>`}`
  return { title: 'Sign in', main }
}

/** The sign-in form; it returns to the current page. */
export function signInForm(chrome: PageChrome): Markup {
  const { model } = chrome
  const login = model.accounts?.login
  const type = login?.kind === 'email' ? 'email' : 'text'
  return html`<form method="post" action="${signInUri(model)}${signInQuery(chrome)}" class="form narrow">
<div class="field"><label for="login">${formatLabel(login?.name ?? 'login')}</label><input id="login" name="login" type="${type}" autocomplete="username" required></div>
<div class="field"><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required></div>
<div class="buttons"><button class="main">Sign in</button></div>
</form>`
}
