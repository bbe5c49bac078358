/** text/html: the HTML page at the same URI as the data. */

import type { PageLayout } from '../../view/page-layout.ts'
import type { DocumentView, ProblemView, View } from '../../view/view.ts'
import type { Format } from '../format.ts'
import { accessExplanationPage } from './access-explanation-page.ts'
import { aggregatePage } from './aggregate-page.ts'
import { apiPanel } from './api-panel.ts'
import { auditPage } from './audit-page.ts'
import { collectionPage } from './collection-page.ts'
import { catalogPage, schemasPage } from './description-pages.ts'
import { docsPage } from './docs-page.ts'
import { eventsPage } from './events-page.ts'
import { creationFormPage, editFormPage } from './form-pages.ts'
import { historyPage, versionPage } from './history-page.ts'
import { homePage, plainDocumentPage } from './home-page.ts'
import { itemPage } from './item-page.ts'
import { type HtmlPage, renderPage } from './layout.ts'
import {
  invitationPage,
  mailsPage,
  passwordResetPage,
  passwordResetsPage,
  verificationPage,
  verificationsPage,
} from './mail-pages.ts'
import { problemPage, problemsPage, problemTypePage } from './problem-page.ts'
import { refusedFormPage } from './refused-form-page.ts'
import { selectionPage } from './selection-markup.ts'
import { secondFactorPage, signInPage, signOutPage } from './sign-in-page.ts'
import { statusPage } from './status-page.ts'

export const html: Format = {
  name: 'html',
  mediaType: 'text/html',
  contentType: 'text/html; charset=utf-8',
  viewKinds: new Set(['item', 'collection', 'aggregate', 'document', 'problem']),
  hypermedia: 'actions',
  isHtml: true,
  write(view) {
    const { layout } = view
    if (!layout) throw new Error(`The HTML page of a ${view.kind} requires page layout`)
    return renderPage(layout, {
      ...pageOf(layout, view),
      footer: layout.viewedAs === undefined ? apiPanel(layout, view) : undefined,
    })
  },
}

function pageOf(layout: PageLayout, view: View): HtmlPage {
  switch (view.kind) {
    case 'item':
      return itemPage(layout, view)
    case 'collection':
      return collectionPage(layout, view)
    case 'aggregate':
      return aggregatePage(layout, view)
    case 'document':
      return (documentPages[view.page ?? ''] ?? plainDocumentPage)(layout, view)
    case 'problem':
      return problemOrForm(layout, view)
  }
}

const documentPages: Readonly<Record<string, (layout: PageLayout, view: DocumentView) => HtmlPage>> = {
  home: homePage,
  problems: problemsPage,
  problem: problemTypePage,
  'creation-form': creationFormPage,
  'edit-form': editFormPage,
  'sign-in': signInPage,
  'sign-out': signOutPage,
  selection: selectionPage,
  schemas: schemasPage,
  catalog: catalogPage,
  'second-factor': secondFactorPage,
  'password-resets': passwordResetsPage,
  'password-reset': passwordResetPage,
  invitation: invitationPage,
  verifications: verificationsPage,
  verification: verificationPage,
  mails: mailsPage,
  status: statusPage,
  docs: docsPage,
  events: eventsPage,
  history: historyPage,
  audit: auditPage,
  version: versionPage,
  'access-explanation': accessExplanationPage,
}

function problemOrForm(layout: PageLayout, view: ProblemView): HtmlPage {
  return view.form ? refusedFormPage(layout, view, view.form) : problemPage(layout, view)
}
