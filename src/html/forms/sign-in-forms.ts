/** The forms of the two steps of signing in. */

import { holdsMailAddress } from '../../definition/model.ts'
import { passwordResetsUri, signInUri } from '../../views/uri.ts'
import { signInQuery } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { loginLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'

/** The sign-in form; it returns to the current page. */
export function signInForm(layout: PageLayout): Markup {
  const { model } = layout
  const login = model.accounts?.login
  const type = login && holdsMailAddress(login) ? 'email' : 'text'
  return html`<form method="post" action="${signInUri(model)}${signInQuery(layout)}" class="form narrow">
<div class="field"><label for="login">${loginLabel(model)}</label><input id="login" name="login" type="${type}" autocomplete="username" value="${layout.login ?? ''}" required></div>
<div class="field"><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required></div>
<div class="buttons"><button class="main">Sign in</button>${model.mail && html` <a href="${passwordResetsUri(model)}">Set a new password</a>`}</div>
</form>`
}

/** The form of the second step. */
export function secondFactorForm({ uri }: PageLayout): Markup {
  return html`<form method="post" action="${uri}" class="form narrow">
<div class="field"><label for="code">Code</label><input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" required autofocus></div>
<div class="buttons"><button class="main">Sign in</button></div>
</form>`
}
