/** text/html: the HTML page at the same URI as the data. */

import { builtInLanguages } from '../definition/languages/built-in-languages.ts'
import type { Model } from '../definition/model.ts'
import { auditPage } from '../features/audit/audit-page.ts'
import { historyPage, versionPage } from '../features/history/history-page.ts'
import {
  invitationPage,
  mailsPage,
  passwordResetPage,
  passwordResetsPage,
  verificationPage,
  verificationsPage,
} from '../features/mail/mail-pages.ts'
import { secondFactorPage, signInPage, signOutPage } from '../features/sign-in/sign-in-page.ts'
import type { Format } from '../formats/format.ts'
import { negotiateLanguage } from '../http/accept-language.ts'
import { statusPage } from '../operation/status-page.ts'
import { memoizeByObject, memoizeByText } from '../tools/memoize.ts'
import type { DocumentView, ProblemView, View } from '../views/view.ts'
import { apiPanel } from './api-panel.ts'
import { creationFormPage, editFormPage } from './forms/form-pages.ts'
import { importPage, refusedImportPage } from './forms/import-page.ts'
import { refusedFormPage } from './forms/refused-form-page.ts'
import { createLanguage, type Language } from './languages/language.ts'
import { type HtmlPage, renderPage } from './layout.ts'
import type { PageLayout } from './loading/page-layout.ts'
import { english, pageLanguage, renderIn, translated } from './page-language.ts'
import { accessExplanationPage } from './pages/access-explanation-page.ts'
import { aggregatePage } from './pages/aggregate-page.ts'
import { collectionPage } from './pages/collection-page.ts'
import { catalogPage, schemasPage } from './pages/description-pages.ts'
import { docsPage } from './pages/docs-page.ts'
import { eventsPage } from './pages/events-page.ts'
import { homePage, plainDocumentPage } from './pages/home-page.ts'
import { itemPage } from './pages/item-page.ts'
import { problemPage, problemsPage, problemTypePage } from './pages/problem-page.ts'
import { selectionPage } from './selection/selection-markup.ts'

export const html: Format = {
  name: 'html',
  mediaType: 'text/html',
  contentType: 'text/html; charset=utf-8',
  viewKinds: new Set(['item', 'collection', 'aggregate', 'document', 'problem']),
  hypermedia: 'actions',
  isHtml: true,
  // The key of its forms differs in each response.
  hasValidators: false,
  language: 'en',
  write: writePage,
}

/** The HTML format in the language that the reader prefers; other formats unchanged. */
export function formatForReader(model: Model, format: Format, acceptLanguage: string | undefined): Format {
  if (!format.isHtml) return format
  const { tags, formatIn } = languagesOf(model)
  return formatIn(negotiateLanguage(acceptLanguage, tags) ?? 'en')
}

/** The built-in languages and those of the definition. */
const languagesOf = memoizeByObject(({ languages }: Model) => {
  const tags = [...new Set([...builtInLanguages, ...languages.keys()])]
  return { tags, formatIn: memoizeByText((tag) => htmlIn(createLanguage(tag, languages.get(tag)))) }
})

function htmlIn(language: Language): Format {
  if (!language.isTranslated) return html
  return {
    ...html,
    language: language.tag,
    write: (view: View) => renderIn(language, () => writePage(view)),
  }
}

function writePage(view: View): string {
  const { layout } = view
  if (!layout) throw new Error(`The HTML page of a ${view.kind} requires page layout`)
  const page = pageOf(layout, view)
  const footer = renderIn(page.language ? english : pageLanguage(), () =>
    layout.viewedAs === undefined ? apiPanel(layout, view) : undefined,
  )
  return renderPage(layout, { ...page, footer })
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
      return documentPage(layout, view)
    case 'problem':
      return problemOrForm(layout, view)
  }
}

function documentPage(layout: PageLayout, view: DocumentView): HtmlPage {
  const page = documentPages[view.page ?? ''] ?? plainDocumentPage
  if (page !== plainDocumentPage) return page(layout, view)
  // The names of its members are English.
  const { title, ...rest } = renderIn(english, () => page(layout, view))
  return { ...rest, title: translated(title), language: 'en' }
}

const documentPages: Readonly<Record<string, (layout: PageLayout, view: DocumentView) => HtmlPage>> = {
  home: homePage,
  problems: problemsPage,
  problem: problemTypePage,
  'creation-form': creationFormPage,
  'edit-form': editFormPage,
  'import-form': importPage,
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
  if (view.refusedImport) return refusedImportPage(layout, view, view.refusedImport)
  return view.form ? refusedFormPage(layout, view, view.form) : problemPage(layout, view)
}
