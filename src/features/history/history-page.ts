/** The HTML pages of a history: the versions of an item with their changes, and one version as it was. */

import type { ResourceModel } from '../../definition/model.ts'
import { actionForm } from '../../html/forms/action-form.ts'
import type { HtmlPage } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { memberLabel } from '../../html/markup/field-label.ts'
import { html } from '../../html/markup/markup.ts'
import { phrase } from '../../html/page-language.ts'
import { type VersionMembers, versionTable, versionValue } from '../../html/pages/version-table.ts'
import { parentPath } from '../../html/parent-path.ts'
import type { DocumentView } from '../../views/view.ts'

export function historyPage(layout: PageLayout, { data, hypermedia }: DocumentView): HtmlPage {
  // The data of features/history/history-document.ts.
  const versions = data as readonly VersionMembers[]
  const next = hypermedia?.links.find(({ rel }) => rel === 'next')
  const [uri = ''] = layout.uri.split('?')
  const main = html`${parentPath(layout, phrase`History`)}
<h1>History</h1>
${versions.length > 0 ? versionTable(layout, versions, { uri, resource: resourceOf(layout) }) : html`<p class="empty">No versions are kept.</p>`}
${next && html`<nav class="paging" aria-label="Pages"><a href="${next.target}" rel="next">Older →</a></nav>`}`
  return { title: `${phrase`History`} · ${layout.parent?.title ?? ''}`, main }
}

/** The resource of the item that the history is about. */
function resourceOf({ model, parent }: PageLayout): ResourceModel | undefined {
  return model.resources.get(parent?.collection ?? '')
}

export function versionPage(layout: PageLayout, { data, hypermedia, item }: DocumentView): HtmlPage {
  const resource = resourceOf(layout)
  const members = Object.entries(data as VersionMembers).map(([name, value]) => {
    return [
      memberLabel(resource, name),
      versionValue(layout, resource?.fieldByName.get(name), value),
    ] as const
  })
  const target = (rel: string) => hypermedia?.links.find((link) => link.rel === rel)?.target
  const [restore] = hypermedia?.actions ?? []
  const [older, newer] = [target('predecessor-version'), target('successor-version')]
  const title = phrase`Former version`
  const main = html`${parentPath(layout, title)}
<div class="heading"><h1>${title}</h1>${restore && item && actionForm(layout, { action: restore, button: phrase`Restore`, prefix: 'restore', item })}</div>
<dl class="fields">${members.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
<nav class="paging" aria-label="Versions">${older && html`<a href="${older}" rel="predecessor-version">← Older</a>`} <a href="${target('version-history') ?? ''}">All versions</a> ${newer && html`<a href="${newer}" rel="successor-version">Newer →</a>`}</nav>`
  return { title: `${title} · ${layout.parent?.title ?? ''}`, main }
}
