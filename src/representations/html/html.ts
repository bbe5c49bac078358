/** text/html: the page for people at the same URI as the data. */

import type { Frame } from '../../view/frame.ts'
import type { DocumentView, ProblemView, View } from '../../view/view.ts'
import type { Representation } from '../representation.ts'
import { collectionPage } from './collection-page.ts'
import { docsPage } from './docs-page.ts'
import { documentPage, homePage } from './home-page.ts'
import { itemPage } from './item-page.ts'
import { layout, type Page } from './layout.ts'
import { problemPage, problemsPage, problemTypePage } from './problem-page.ts'
import { refusedPage } from './refused-page.ts'
import { signInPage } from './sign-in-page.ts'
import { statusPage } from './status-page.ts'

export const html: Representation = {
  name: 'html',
  mediaType: 'text/html',
  contentType: 'text/html; charset=utf-8',
  shows: new Set(['item', 'collection', 'document', 'problem']),
  hypermedia: 'actions',
  framed: true,
  write(view) {
    const { frame } = view
    if (!frame) throw new Error(`A page of ${view.kind} needs its frame`)
    return layout(frame, pageOf(frame, view))
  },
}

function pageOf(frame: Frame, view: View): Page {
  switch (view.kind) {
    case 'item':
      return itemPage(frame, view)
    case 'collection':
      return collectionPage(frame, view)
    case 'document':
      return (documentPages[view.name ?? ''] ?? documentPage)(frame, view)
    case 'problem':
      return problemOrForm(frame, view)
  }
}

const documentPages: Readonly<Record<string, (frame: Frame, view: DocumentView) => Page>> = {
  home: homePage,
  problems: problemsPage,
  problem: problemTypePage,
  'sign-in': signInPage,
  status: statusPage,
  docs: docsPage,
}

function problemOrForm(frame: Frame, view: ProblemView): Page {
  return view.form ? refusedPage(frame, view, view.form) : problemPage(frame, view)
}
