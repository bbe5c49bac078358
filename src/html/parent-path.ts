/** Breadcrumbs: the pages above a page, and the page itself. */

import type { PageLayout } from './loading/page-layout.ts'
import { labelOfCollection } from './markup/collection-nouns.ts'
import { html, type Markup, type MarkupPart } from './markup/markup.ts'

/** The last part is the page itself. */
export function pagePath(parts: readonly MarkupPart[]): Markup {
  const items = parts.map(
    (part, at) => html`<li${at === parts.length - 1 && html` aria-current="page"`}>${part}</li>`,
  )
  return html`<nav class="path" aria-label="Breadcrumb"><ol>${items}</ol></nav>`
}

/** A link to a page above; without a URI, its name. */
export function pathLink(uri: string | undefined, name: string): MarkupPart {
  return uri === undefined ? name : html`<a href="${uri}">${name}</a>`
}

/** The collection of the parent, the parent, and the page with this title; undefined where the page has no parent. */
export function parentPath({ model, parent }: PageLayout, title: string): Markup | undefined {
  if (!parent) return undefined
  const { collection, collectionUri, uri } = parent
  const top = pathLink(collectionUri, labelOfCollection(model, collection))
  return pagePath([top, pathLink(uri, parent.title), title])
}
