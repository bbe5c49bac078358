/** The pages of signing in by a link: asking for it, and using it. */

import type { HtmlPage } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { html } from '../../html/markup/markup.ts'
import type { DocumentView } from '../../views/view.ts'
import { formPage, membersOf, requestPage } from '../mail/mail-pages.ts'

export function signInLinksPage(layout: PageLayout, view: DocumentView): HtmlPage {
  return requestPage(layout, view, {
    lead: layout.uri.includes('elsewhere=')
      ? html`The link in your mail works only in the browser in which you asked for it last. Copy it to that browser, or ask for a new link in this one.`
      : html`Enter the address of your account. You get a mail with a link.`,
    sent: html`If there is an account with this address, a mail is on its way. Open its link in this browser within 15 minutes.`,
  })
}

export function signInLinkPage(layout: PageLayout, view: DocumentView): HtmlPage {
  const lead =
    membersOf(view).needsPassword === true
      ? html`Enter the password of the account as well. That is needed once, because nothing has proven its address yet.`
      : html`The button signs you in in this browser. The link works once.`
  return formPage(layout, view, lead)
}
