/** Signing in, and making an account where anyone may. */

import type { Frame } from '../../view/frame.ts'
import { signInUri } from '../../view/uri.ts'
import type { DocumentView } from '../../view/view.ts'
import { form } from './form.ts'
import { labelOf } from './label.ts'
import type { Page } from './layout.ts'
import { html, type Safe } from './markup.ts'
import { nextQuery } from './next.ts'

export function signInPage(frame: Frame, { hypermedia }: DocumentView): Page {
  const signUp = hypermedia?.actions.find(({ name }) => name === 'sign-up')
  const main = html`<h1>Sign in</h1>
${frame.who.kind !== 'anonymous' && html`<p class="note">You are signed in already.</p>`}
${signInForm(frame)}
${signUp && html`<section><h2>New here?</h2><details class="card" id="sign-up"><summary>Sign up</summary>${form(frame, { action: signUp, prefix: 'sign-up', button: 'Sign up' })}</details></section>`}`
  return { title: 'Sign in', main }
}

/** Leads back to where it was asked for. */
export function signInForm(frame: Frame): Safe {
  const { model } = frame
  const login = model.accounts?.login
  const type = login?.kind === 'email' ? 'email' : 'text'
  return html`<form method="post" action="${signInUri(model)}${nextQuery(frame)}" class="form narrow">
<div class="field"><label for="login">${labelOf(login?.name ?? 'login')}</label><input id="login" name="login" type="${type}" autocomplete="username" required></div>
<div class="field"><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required></div>
<div class="buttons"><button class="main">Sign in</button></div>
</form>`
}
