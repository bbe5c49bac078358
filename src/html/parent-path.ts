/** The breadcrumbs of a sub-collection: the collection of its parent, the parent, and the page itself. */

import type { PageLayout } from './loading/page-layout.ts'
import { labelOfCollection } from './markup/collection-nouns.ts'
import { html, type Markup } from './markup/markup.ts'

/** Returns the breadcrumbs to a page with this title; undefined where the page has no parent. */
export function parentPath({ model, parent }: PageLayout, title: string): Markup | undefined {
  if (!parent) return undefined
  const label = labelOfCollection(model, parent.collection)
  const top =
    parent.collectionUri === undefined ? label : html`<a href="${parent.collectionUri}">${label}</a>`
  return html`<nav class="path" aria-label="Breadcrumb"><ol><li>${top}</li><li><a href="${parent.uri}">${parent.title}</a></li><li aria-current="page">${title}</li></ol></nav>`
}
