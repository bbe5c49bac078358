/** Writes HTML pages: the page at the same URI as the data, and the page of a refusal. */

import { builtInLanguages } from '../definition/languages/built-in-languages.ts'
import type { Model } from '../definition/model.ts'
import { htmlType } from '../formats/html.ts'
import { negotiateLanguage } from '../http/accept-language.ts'
import type { HttpRequest, ResponseFields } from '../http/message.ts'
import { memoizeByObject, memoizeByText } from '../tools/memoize.ts'
import type { DocumentView } from '../views/view.ts'
import { apiPanel } from './api-panel.ts'
import { creationFormPage, editFormPage } from './forms/form-pages.ts'
import { importPage, refusedImportPage } from './forms/import-page.ts'
import { refusedFormPage } from './forms/refused-form-page.ts'
import { createLanguage } from './languages/language.ts'
import { type HtmlPage, renderPage } from './layout.ts'
import type { PageLayout } from './loading/page-layout.ts'
import { english, pageLanguage, renderIn, translated } from './page-language.ts'
import type { PageView, RefusedView } from './page-view.ts'
import { aggregatePage } from './pages/aggregate-page.ts'
import { collectionPage } from './pages/collection-page.ts'
import { docsPage } from './pages/docs-page.ts'
import { entriesPage } from './pages/entries-page.ts'
import { homePage, plainDocumentPage } from './pages/home-page.ts'
import { itemPage } from './pages/item-page.ts'
import { problemPage } from './pages/problem-page.ts'
import { selectionPage } from './selection/selection-markup.ts'
import { previewPage } from './view-as/view-as-form.ts'

/** The pages of documents, by the name of the page. */
export type DocumentPages = Readonly<Record<string, (layout: PageLayout, view: DocumentView) => HtmlPage>>

/** A page in the language of `inLanguageOf`, with its own header fields. `others`: the pages of features. */
export function writePage(
  layout: PageLayout,
  view: PageView,
  others: DocumentPages,
): { readonly body: string; readonly fields: ResponseFields } {
  const { tag } = pageLanguage()
  const body = renderView(layout, view, others)
  return { body, fields: { 'Content-Type': htmlType, 'Content-Language': tag, ...pageFields } }
}

/** Loads or writes a page in the language that the reader prefers. */
export function inLanguageOf<Result>(
  model: Model,
  { fields }: Pick<HttpRequest, 'fields'>,
  respond: () => Result,
): Result {
  const { tags, languageOf } = languagesOf(model)
  return renderIn(languageOf(negotiateLanguage(fields['accept-language'], tags) ?? 'en'), respond)
}

/** The built-in languages and those of the definition. */
const languagesOf = memoizeByObject(({ languages }: Model) => {
  const tags = [...new Set([...builtInLanguages, ...languages.keys()])]
  return { tags, languageOf: memoizeByText((tag) => createLanguage(tag, languages.get(tag))) }
})

const pageFields: ResponseFields = Object.freeze({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
})

function renderView(layout: PageLayout, view: PageView, others: DocumentPages): string {
  const page = pageOf(layout, view, others)
  const footer = renderIn(page.language ? english : pageLanguage(), () =>
    layout.viewedAs === undefined ? apiPanel(layout, view) : undefined,
  )
  return renderPage(layout, { ...page, footer })
}

function pageOf(layout: PageLayout, view: PageView, others: DocumentPages): HtmlPage {
  switch (view.kind) {
    case 'item':
      return itemPage(layout, view)
    case 'collection':
      return collectionPage(layout, view)
    case 'aggregate':
      return aggregatePage(layout, view)
    case 'document':
      return documentPage(layout, view, others)
    case 'problem':
      return problemOrForm(layout, view, others)
  }
}

function documentPage(layout: PageLayout, view: DocumentView, others: DocumentPages): HtmlPage {
  const { page: name = '', table } = view
  const page = documentPages[name] ?? others[name]
  if (page) return page(layout, view)
  if (table) return entriesPage(layout, { ...view, table })
  // The names of its members are English.
  const { title, ...rest } = renderIn(english, () => plainDocumentPage(layout, view))
  return { ...rest, title: translated(title), language: 'en' }
}

const documentPages: DocumentPages = {
  home: homePage,
  'creation-form': creationFormPage,
  'edit-form': editFormPage,
  'import-form': importPage,
  selection: selectionPage,
  docs: docsPage,
  preview: previewPage,
}

function problemOrForm(layout: PageLayout, view: RefusedView, others: DocumentPages): HtmlPage {
  const { form, refusedImport } = view
  if (refusedImport) return refusedImportPage(layout, view, refusedImport)
  if (!form) return problemPage(layout, view)
  if (!form.document) return refusedFormPage(layout, view, form)
  const refused = { form, problem: view }
  const { title, ...page } = documentPage({ ...layout, refused }, form.document, others)
  return { ...page, title: `${translated(view.title)}: ${title}` }
}
