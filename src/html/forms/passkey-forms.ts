/** The forms of passkeys. A script gets the response of the authenticator; without it they say so. */

import { passkeyUri } from '../../views/uri.ts'
import { signInQuery } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { html, type Markup } from '../markup/markup.ts'

/** Registers the new passkey with the authenticator, and confirms it. */
export function newPasskeyForm({ options, target }: NonNullable<PageLayout['passkey']>): Markup {
  return html`<form method="post" action="${target}" class="form narrow" data-passkey-options="${options}"><noscript><p>Passkeys need JavaScript.</p></noscript>
<input type="hidden" name="response">
<div class="buttons"><button class="main" hidden>Use this device or a security key</button></div></form>`
}

/** Signs in with a passkey; it returns to the current page. Undefined where the service has no passkeys. */
export function passkeyForm(layout: PageLayout): Markup | undefined {
  if (!layout.hasPasskeys) return undefined
  const uri = passkeyUri(layout.model)
  return html`<form method="post" action="${uri}${signInQuery(layout)}" class="form narrow" data-passkey="${uri}">
<input type="hidden" name="response">
<div class="buttons"><button hidden>Use a passkey</button></div></form>`
}
