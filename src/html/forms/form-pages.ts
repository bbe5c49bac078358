/** The HTML pages of the forms that create and edit an item. */

import type { ResourceModel } from '../../definition/model.ts'
import { collectionUri } from '../../views/uri.ts'
import type { DocumentView } from '../../views/view.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { collectionLabel, itemNoun } from '../markup/collection-nouns.ts'
import { html, type Markup, type MarkupPart } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'
import { itemTitle } from '../pages/item-page.ts'
import { pagePath, parentPath, pathLink } from '../parent-path.ts'
import { actionForm } from './action-form.ts'

export function creationFormPage(layout: PageLayout, view: DocumentView): HtmlPage {
  const resource = resourceOf(view)
  const [action] = view.hypermedia?.actions ?? []
  const title = phrase`New ${itemNoun(resource)}`
  const main = html`${layout.parent ? parentPath(layout, title) : breadcrumbs(layout, resource, [title])}
<h1>${title}</h1>
${action && actionForm(layout, { action, prefix: 'form', button: phrase`Create`, cancel: upOf(view) })}`
  return { title, main }
}

export function editFormPage(layout: PageLayout, view: DocumentView): HtmlPage {
  const { item, hypermedia } = view
  const [action] = hypermedia?.actions ?? []
  const name = item ? itemTitle(layout, item) : ''
  const up = upOf(view)
  const main = html`${breadcrumbs(layout, resourceOf(view), [html`<a href="${up}">${name}</a>`, phrase`Edit`])}
<h1>Edit ${name}</h1>
${action && actionForm(layout, { action, prefix: 'form', button: phrase`Save`, item, cancel: up })}`
  return { title: phrase`Edit ${name}`, main }
}

/** The resource of the items that the form makes or changes. */
export function resourceOf({ resource, name }: DocumentView): ResourceModel {
  if (!resource) throw new Error(`The document ${name} is no form of a resource`)
  return resource
}

function upOf({ hypermedia }: DocumentView): string {
  return hypermedia?.links.find(({ rel }) => rel === 'up')?.target ?? ''
}

/** The path to the page; its last part is the page itself. */
export function breadcrumbs(
  { model }: PageLayout,
  resource: ResourceModel,
  parts: readonly MarkupPart[],
): Markup {
  return pagePath([pathLink(collectionUri(model, resource), collectionLabel(resource)), ...parts])
}
