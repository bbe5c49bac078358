/** The pages of links in mails: setting a new password, and confirming an address; and the mails themselves in development. */

import type { JsonValue } from '../../definition/model.ts'
import { documentForm } from '../../html/forms/action-form.ts'
import type { HtmlPage } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { timeMarkup } from '../../html/markup/display-value.ts'
import { englishText, html, type Markup, trustedMarkup } from '../../html/markup/markup.ts'
import { phrase, translated } from '../../html/page-language.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import type { DocumentView } from '../../views/view.ts'

/** Asks for a link to set a new password. */
export function passwordResetsPage(layout: PageLayout, view: DocumentView): HtmlPage {
  return requestPage(layout, view, {
    lead: html`Enter the address of your account. You get a mail with a link.`,
    sent: html`If there is an account with this address, a mail is on its way. Its link is good for one hour.`,
  })
}

/** Asks for a link that proves an address: the present one, or a new one for the account of the caller. */
export function verificationsPage(layout: PageLayout, view: DocumentView): HtmlPage {
  return requestPage(layout, view, {
    lead: html`You get a mail with a link. A new address becomes that of your account when you follow it.`,
    sent: html`If the address can be used, a mail is on its way. Its link is good for one hour.`,
  })
}

interface RequestTexts {
  readonly lead: Markup
  readonly sent: Markup
}

export function requestPage(layout: PageLayout, view: DocumentView, { lead, sent }: RequestTexts): HtmlPage {
  const { isSent } = membersOf(view)
  const action = formOf(view)
  if (isSent !== true) return formPage(layout, view, lead)
  const again = html`<p class="ways"><a href="${action?.target}">Ask again</a></p>`
  const title = titleOf(view)
  return { title, main: html`<h1>${title}</h1><p class="lead">${sent}</p>${again}` }
}

/** The page of a link to set a new password. */
export function passwordResetPage(layout: PageLayout, view: DocumentView): HtmlPage {
  return formPage(layout, view, html`All sessions and tokens of your account end.`)
}

/** The page of a link that proves an address, and of one that completes a sign-up. */
export function verificationPage(layout: PageLayout, view: DocumentView): HtmlPage {
  const lead =
    membersOf(view).isSignUp === true
      ? html`Enter the password that you have chosen to create your account. If you have not signed up, leave this page.`
      : html`Confirm it only if the account is yours.`
  return formPage(layout, view, lead)
}

/** The page of the link in an invitation, with the values that the person chooses. */
export function invitationPage(layout: PageLayout, view: DocumentView): HtmlPage {
  const { email, role } = membersOf(view)
  const lead = html`You get an account at ${translated(layout.model.title)} as ${String(email)}${role !== undefined && html`, with the role ${String(role)}`}.`
  return formPage(layout, view, lead)
}

/** The page of a link to unsubscribe from mails of code. */
export function unsubscriptionPage(layout: PageLayout, view: DocumentView): HtmlPage {
  const { address } = membersOf(view)
  return formPage(layout, view, html`After that, ${String(address)} gets no more mails of this kind.`)
}

/** The page of a document with its form. */
export function formPage(layout: PageLayout, view: DocumentView, lead: Markup): HtmlPage {
  const title = titleOf(view)
  const action = formOf(view)
  const main = html`<h1>${title}</h1>
<p class="lead">${lead}</p>
${action && documentForm(layout, action)}`
  return { title, main }
}

function titleOf(view: DocumentView): string {
  return translated(String(membersOf(view).title))
}

function formOf({ hypermedia }: DocumentView): Action | undefined {
  return hypermedia?.actions.find(({ isOfDocument }) => isOfDocument)
}

export function membersOf({ data }: DocumentView): Readonly<Record<string, JsonValue>> {
  // The documents of features/mail have these members.
  return data as Readonly<Record<string, JsonValue>>
}

/** The mails of features/mail/mails.ts. */
export function mailsPage(_layout: PageLayout, { data }: DocumentView): HtmlPage {
  const mails = data as readonly Readonly<Record<string, JsonValue>>[]
  const main = html`<h1>Mails</h1>
<p class="lead">Newest first. They are shown here instead of being sent.</p>
${mails.length > 0 ? mails.map(mailMarkup) : html`<p class="empty">No mails yet.</p>`}`
  return { title: phrase`Mails`, main }
}

function mailMarkup({ at, to, subject, text }: Readonly<Record<string, JsonValue>>): Markup {
  const parts = String(text).split(/(https?:\/\/\S+)/)
  const linked = parts.map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : part))
  return html`<section class="card"><h2>${englishText(String(subject))}</h2><p class="small">To ${String(to)}, ${trustedMarkup(timeMarkup(String(at)))}</p><pre lang="en">${linked}</pre></section>`
}
