/** text/html: the HTML page at the same URI as the data. */

import type { PageChrome } from '../../view/page-chrome.ts'
import type { DocumentView, ProblemView, View } from '../../view/view.ts'
import type { Format } from '../format.ts'
import { aggregatePage } from './aggregate-page.ts'
import { auditPage } from './audit-page.ts'
import { collectionPage } from './collection-page.ts'
import { docsPage } from './docs-page.ts'
import { eventsPage } from './events-page.ts'
import { historyPage, versionPage } from './history-page.ts'
import { documentPage, homePage } from './home-page.ts'
import { itemPage } from './item-page.ts'
import { type HtmlPage, renderPage } from './layout.ts'
import { problemPage, problemsPage, problemTypePage } from './problem-page.ts'
import { refusedFormPage } from './refused-form-page.ts'
import { signInPage } from './sign-in-page.ts'
import { statusPage } from './status-page.ts'

export const html: Format = {
  name: 'html',
  mediaType: 'text/html',
  contentType: 'text/html; charset=utf-8',
  shows: new Set(['item', 'collection', 'aggregate', 'document', 'problem']),
  hypermedia: 'actions',
  isHtml: true,
  write(view) {
    const { chrome } = view
    if (!chrome) throw new Error(`The HTML page of a ${view.kind} requires page chrome`)
    return renderPage(chrome, pageOf(chrome, view))
  },
}

function pageOf(chrome: PageChrome, view: View): HtmlPage {
  switch (view.kind) {
    case 'item':
      return itemPage(chrome, view)
    case 'collection':
      return collectionPage(chrome, view)
    case 'aggregate':
      return aggregatePage(chrome, view)
    case 'document':
      return (documentPages[view.page ?? ''] ?? documentPage)(chrome, view)
    case 'problem':
      return problemOrForm(chrome, view)
  }
}

const documentPages: Readonly<Record<string, (chrome: PageChrome, view: DocumentView) => HtmlPage>> = {
  home: homePage,
  problems: problemsPage,
  problem: problemTypePage,
  'sign-in': signInPage,
  status: statusPage,
  docs: docsPage,
  events: eventsPage,
  history: historyPage,
  audit: auditPage,
  version: versionPage,
}

function problemOrForm(chrome: PageChrome, view: ProblemView): HtmlPage {
  return view.form ? refusedFormPage(chrome, view, view.form) : problemPage(chrome, view)
}
