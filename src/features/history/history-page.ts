/** The HTML page of a version of an item, as it was. */

import { actionForm } from '../../html/forms/action-form.ts'
import type { HtmlPage } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { memberLabel } from '../../html/markup/field-label.ts'
import { html } from '../../html/markup/markup.ts'
import { phrase } from '../../html/page-language.ts'
import { versionValue } from '../../html/pages/change-list.ts'
import { parentPath } from '../../html/parent-path.ts'
import type { DocumentView, Entry } from '../../views/view.ts'

export function versionPage(layout: PageLayout, { data, hypermedia, item, values }: DocumentView): HtmlPage {
  const { resource } = values?.visibleFields ?? {}
  const members = Object.entries(Object(data) as Entry).map(([name, value]) => {
    const shown = versionValue(layout, resource?.fieldByName.get(name), value)
    return [memberLabel(resource, name), shown] as const
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
