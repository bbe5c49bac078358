/** The pages of links in mails: setting a new password, and confirming an address; and the mails themselves in development. */

import { anonymous } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { AccountsModel, FieldModel, JsonValue } from '../../definition/model.ts'
import { fieldHelp } from '../../html/forms/field-help.ts'
import { formControl } from '../../html/forms/form-control.ts'
import type { HtmlPage } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { timeMarkup } from '../../html/markup/display-value.ts'
import { loginLabel } from '../../html/markup/field-label.ts'
import { englishText, html, type Markup, trustedMarkup } from '../../html/markup/markup.ts'
import { phrase, translated } from '../../html/page-language.ts'
import { passwordResetsUri, verificationsUri } from '../../views/uri.ts'
import type { DocumentView } from '../../views/view.ts'

/** Asks for a link. */
export function passwordResetsPage({ model }: PageLayout, { data }: DocumentView): HtmlPage {
  const { isSent } = data as Readonly<Record<string, JsonValue>>
  const label = loginLabel(model)
  const title = phrase`Set a new password`
  const form = html`<p class="lead">Enter the address of your account. You get a mail with a link.</p>
<form method="post" action="${passwordResetsUri(model)}" class="form narrow">
<div class="field"><label for="login">${label}</label><input id="login" name="login" type="email" autocomplete="username" required></div>
<div class="buttons"><button class="main">Send the link</button></div>
</form>`
  const sent = html`<p class="lead">If there is an account with this address, a mail is on its way. Its link is good for one hour.</p>
<p class="ways"><a href="${passwordResetsUri(model)}">Ask again</a></p>`
  return { title, main: html`<h1>${title}</h1>${isSent === true ? sent : form}` }
}

/** The form that the link in the mail leads to. It posts to its own address, which is not repeated in the page. */
export function passwordResetPage({ model }: PageLayout): HtmlPage {
  const title = phrase`Set a new password`
  const help = model.accounts && fieldHelp(model.accounts.password)
  const main = html`<h1>${title}</h1>
<p class="lead">All sessions and tokens of your account end.</p>
<form method="post" class="form narrow">
<div class="field"><label for="password">New password</label><input id="password" name="password" type="password" autocomplete="new-password" required aria-describedby="password-help"><p class="help" id="password-help">${help}</p></div>
<div class="buttons"><button class="main">Set the password</button></div>
</form>`
  return { title, main }
}

/** Asks for a link that proves an address: the present one, or a new one for the account of the caller. */
export function verificationsPage({ model, caller }: PageLayout, { data }: DocumentView): HtmlPage {
  const { isSent } = data as Readonly<Record<string, JsonValue>>
  const password = html`<div class="field"><label for="currentPassword">Current password</label><input id="currentPassword" name="currentPassword" type="password" autocomplete="current-password"></div>`
  const form = html`<p class="lead">You get a mail with a link. A new address becomes that of your account when you follow it.</p>
<form method="post" action="${verificationsUri(model)}" class="form narrow">
<div class="field"><label for="login">${loginLabel(model)}</label><input id="login" name="login" type="email" autocomplete="email" required></div>
${caller.kind === 'account' && password}
<div class="buttons"><button class="main">Send the link</button></div>
</form>`
  const sent = html`<p class="lead">If the address can be used, a mail is on its way. Its link is good for one hour.</p>
<p class="ways"><a href="${verificationsUri(model)}">Ask again</a></p>`
  const title = phrase`Confirm an address`
  return { title, main: html`<h1>${title}</h1>${isSent === true ? sent : form}` }
}

/** The form that the link in the mail leads to. */
export function verificationPage(_layout: PageLayout, { data }: DocumentView): HtmlPage {
  const { needsPassword, isSignUp } = data as Readonly<Record<string, JsonValue>>
  const password = html`<div class="field"><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password"></div>`
  const title = phrase`Confirm an address`
  const main = html`<h1>${title}</h1>
<p class="lead">${isSignUp === true ? phrase`Enter the password that you have chosen to create your account. If you have not signed up, leave this page.` : phrase`Confirm it only if the account is yours.`}</p>
<form method="post" class="form narrow">
${needsPassword === true && password}
<div class="buttons"><button class="main">Confirm the address</button></div>
</form>`
  return { title, main }
}

/** The form that the link in an invitation leads to, with the values that the person chooses. */
export function invitationPage(layout: PageLayout, { data }: DocumentView): HtmlPage {
  const { email, role } = data as Readonly<Record<string, JsonValue>>
  const { model } = layout
  const { accounts } = model
  const fields = accounts ? fieldsOfNewcomers(accounts).filter(({ file }) => !file) : []
  const controls = fields.map((field) =>
    formControl(
      layout,
      {
        field: field === accounts?.password ? { ...field, name: 'password' } : field,
        required: field.required && field.default === undefined,
        value: field.default,
        fixed: false,
        choices: undefined,
        choicesUri: undefined,
      },
      { prefix: 'account', sent: undefined, faults: [] },
    ),
  )
  const title = phrase`Accept the invitation`
  const main = html`<h1>${title}</h1>
<p class="lead">You get an account at ${translated(model.title)} as ${String(email)}${role !== undefined && html`, with the role ${String(role)}`}.</p>
<form method="post" class="form narrow">
${controls}
<div class="buttons"><button class="main">Create the account</button></div>
</form>`
  return { title, main }
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

/** The fields that everyone may set, without the login and those of administrators. */
function fieldsOfNewcomers({ resource, login, roles, disabled }: AccountsModel): readonly FieldModel[] {
  const { writability } = rightsOf(resource, anonymous)
  const isOpen = (field: FieldModel) => !field.state && writability.get(field)?.kind === 'always'
  return resource.fields.filter((field) => ![login, roles, disabled].includes(field) && isOpen(field))
}
