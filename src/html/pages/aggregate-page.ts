/** The HTML page of an aggregation: a table of all groups. */

import type { FieldModel, JsonValue } from '../../definition/model.ts'
import { referenceUri } from '../../views/uri.ts'
import type { AggregateMember, AggregateView, GroupRow } from '../../views/view.ts'
import type { HtmlPage } from '../layout.ts'
import { activeFilterList } from '../lists/active-filters.ts'
import {
  findParameter,
  formatListUri,
  type ListLocation,
  listPath,
  parseListLocation,
} from '../lists/list-location.ts'
import { formatMember, summaryForm } from '../lists/summary-form.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { collectionLabel } from '../markup/collection-nouns.ts'
import { badge, excerpt, shortId, timeMarkup } from '../markup/display-value.ts'
import { labelInSentence } from '../markup/field-label.ts'
import { html, type Markup, trustedMarkup } from '../markup/markup.ts'
import { writtenValue } from '../markup/written-value.ts'
import { phrase } from '../page-language.ts'
import { parentPath } from '../parent-path.ts'

export function aggregatePage(layout: PageLayout, view: AggregateView): HtmlPage {
  const name = collectionLabel(view.resource)
  const groups = groupsOf(view)
    .map((member) => formatMember(view.resource, member.name))
    .join(', ')
  const title = groups === '' ? phrase`${name}: summary` : phrase`${name} by ${labelInSentence(groups)}`
  const location = parseListLocation(layout)
  const list = { ...location, path: listPath(location) }
  const items = formatListUri(list, { 'group-by': undefined, aggregate: undefined, sort: undefined })
  const main = html`${parentPath(layout, title)}
<div class="heading"><h1>${title}</h1><p class="count"><a href="${items}" rel="collection">Show the items</a></p></div>
${summaryForm(layout, view.resource)}
${activeFilterList(layout, view.resource)}
${view.rows.length > 0 ? groupTable(layout, view, location) : html`<p class="empty">No items match. Remove a filter.</p>`}`
  return { title, main }
}

function groupsOf({ members }: AggregateView): readonly AggregateMember[] {
  return members.filter(({ role }) => role === 'group')
}

function isNumber({ kind }: AggregateMember): boolean {
  return kind !== 'identity' && kind.order === 'amount'
}

function memberText({ kind }: Pick<AggregateMember, 'kind'>, value: JsonValue): string {
  return kind === 'identity' ? String(value) : writtenValue({ kind }, String(value))
}

function groupTable(layout: PageLayout, view: AggregateView, location: ListLocation): Markup {
  const heads = view.members.map((member) => memberHead(view, location, member))
  const rows = view.rows.map(
    (row) =>
      html`<tr>${view.members.map((_, at) => memberCell(layout, view, row, at))}</tr>
`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Groups"><table>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows}</tbody></table></div>`
}

function memberHead({ resource }: AggregateView, location: ListLocation, member: AggregateMember): Markup {
  const sort = findParameter(location, 'sort')
  const { name } = member
  const next = sort === name ? `-${name}` : name
  const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined
  return html`<th scope="col"${isNumber(member) && html` class="number"`}${direction && html` aria-sort="${direction}"`}><a href="${formatListUri(location, { sort: next })}">${formatMember(resource, name)}</a></th>`
}

function memberCell(layout: PageLayout, view: AggregateView, row: GroupRow, at: number): Markup {
  const value = row.values[at]
  // The values of a row are in the order of the members.
  const member = view.members[at]!
  const title = layout.titles.get(row.identities[at] ?? '')
  const shown =
    value === undefined
      ? html`<span class="absent">none</span>`
      : memberValue(layout, { ...member, field: view.resource.fieldByName.get(member.name) }, value, title)
  if (at === 0 && member.role === 'group') return html`<th scope="row">${shown}</th>`
  return html`<td${isNumber(member) && html` class="number"`}>${shown}</td>`
}

/** A reference whose title is known is a link, because the caller may read the item. */
function memberValue(
  { model }: PageLayout,
  { target, kind, field }: AggregateMember & { readonly field: FieldModel | undefined },
  value: JsonValue,
  title: string | undefined,
): Markup {
  const text = String(value)
  if (target && title !== undefined) return html`<a href="${referenceUri(model, target, text)}">${title}</a>`
  if (target || kind === 'identity') return html`<code>${shortId(text)}</code>`
  if (kind.choices !== 'none') return trustedMarkup(badge(text, field))
  if (kind.shape === 'boolean') return html`${value === true ? phrase`yes` : phrase`no`}`
  return trustedMarkup(kind.order === 'instant' ? timeMarkup(text) : excerpt(memberText({ kind }, value)))
}
