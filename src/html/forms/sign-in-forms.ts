/** The form to sign in. */

import { formAction } from '../../views/form-action.ts'
import { signInFacts } from '../../views/sign-in-facts.ts'
import { passwordResetsUri, signInLinksUri, signInUri } from '../../views/uri.ts'
import { signInQuery } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { html, type Markup } from '../markup/markup.ts'
import { documentForm } from './action-form.ts'

/** The sign-in form; it returns to the current page. */
export function signInForm(layout: PageLayout): Markup {
  const { model } = layout
  const action = formAction(model, signInFacts, signInUri(model) + signInQuery(layout))
  const { receivesMail, signsInByLink } = model.accounts ?? {}
  const byLink =
    signsInByLink && html` <a href="${signInLinksUri(model)}${signInQuery(layout)}">Get a link by mail</a>`
  const beside = receivesMail && html`${byLink} <a href="${passwordResetsUri(model)}">Set a new password</a>`
  return documentForm(layout, action, beside || undefined)
}
