/** The pages to sign in, with the form to create an account if anonymous callers may, and to sign out. */

import { mayChangeCredentials } from '../../access/principal.ts'
import { actionForm, documentForm } from '../../html/forms/action-form.ts'
import { passkeyForm } from '../../html/forms/passkey-forms.ts'
import { signInForm } from '../../html/forms/sign-in-forms.ts'
import { type HtmlPage, signInQuery } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { formatLabel } from '../../html/markup/field-label.ts'
import { html, type Markup } from '../../html/markup/markup.ts'
import { phrase } from '../../html/page-language.ts'
import { homeUri, signInUri, signOutUri, verificationsUri } from '../../views/uri.ts'
import type { DocumentView } from '../../views/view.ts'
import { providerUri } from './provider-uri.ts'

export function signInPage(layout: PageLayout, { hypermedia }: DocumentView): HtmlPage {
  const signUp = hypermedia?.actions.find(({ name }) => name === 'sign-up')
  const main = html`<h1>Sign in</h1>
${layout.caller.kind !== 'anonymous' && html`<p class="note">You are already signed in.${layout.model.accounts?.receivesMail && html` <a href="${verificationsUri(layout.model)}">Change your address</a>`}</p>`}
${signInForm(layout)}
${providerLinks(layout)}${linkForm(layout)}
${passkeyForm(layout)}
${signUp && html`<section><h2>New here?</h2><details class="card" id="sign-up"><summary>Sign up</summary>${actionForm(layout, { action: signUp, prefix: 'sign-up', button: phrase`Sign up` })}</details></section>`}`
  return { title: phrase`Sign in`, main }
}

/** Only the form signs out; a link to the page does not. */
export function signOutPage({ model, caller }: PageLayout): HtmlPage {
  const question =
    caller.kind === 'anonymous'
      ? html`<p>You are not signed in.</p><p><a href="${signInUri(model)}">Sign in</a></p>`
      : html`<form method="post" action="${signOutUri(model)}" class="form"><p>Do you want to sign out in this browser?</p>
<div class="buttons"><button class="main">Sign out</button> <a href="${homeUri(model)}">Stay signed in</a></div></form>`
  return { title: phrase`Sign out`, main: html`<h1>Sign out</h1>${question}` }
}

/** The second step of signing in. */
export function secondFactorPage(layout: PageLayout, { hypermedia }: DocumentView): HtmlPage {
  const action = hypermedia?.actions[0]
  const main = html`<h1>Second factor</h1>
<p>Enter the code that your authenticator shows now, or one of your recovery codes.</p>
${action && documentForm(layout, action)}
${passkeyForm(layout)}`
  return { title: phrase`Second factor`, main }
}

/** Links, because a form could not lead to another site. */
function providerLinks(layout: PageLayout): Markup | undefined {
  const { model } = layout
  const { providers = [] } = model.accounts ?? {}
  if (providers.length === 0) return undefined
  const links = providers.map(
    (name) =>
      html`<a class="button" href="${providerUri(model, name)}${signInQuery(layout)}">Sign in with ${formatLabel(name)}</a> `,
  )
  return html`<p class="ways">${links}</p>`
}

/** For a person who is signed in: its account can be linked to each provider, with the proof that a new password needs. */
function linkForm({ model, caller }: PageLayout): Markup | undefined {
  const { providers = [] } = model.accounts ?? {}
  const [first] = providers
  if (!first || !mayChangeCredentials(caller)) return undefined
  const buttons = providers.map(
    (name) => html`<button formaction="${providerUri(model, name)}">Link ${formatLabel(name)}</button> `,
  )
  return html`<section><h2>Link a provider</h2>
<form method="post" action="${providerUri(model, first)}" class="form narrow">
<div class="field"><label for="currentPassword">Current password</label><input id="currentPassword" name="currentPassword" type="password" autocomplete="current-password" aria-describedby="currentPassword-help"><p class="help" id="currentPassword-help">Not needed within five minutes after signing in with a provider.</p></div>
<div class="buttons">${buttons}</div>
</form></section>`
}
