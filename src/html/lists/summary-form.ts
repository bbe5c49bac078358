/** The form that summarises a list: a field to group by, and a value to compute. */

import type { ResourceModel } from '../../definition/model.ts'
import { aggregateTermsOf, groupTermsOf } from '../../query/aggregate-terms.ts'
import { queryableFieldsOf } from '../../query/queryable-fields.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { memberLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase, translated } from '../page-language.ts'
import { activeFilters, findParameter, groupsFormUri, parseListLocation } from './list-location.ts'

/** `hours.sum` becomes `Hours, sum`. */
export function formatMember(resource: ResourceModel, name: string): string {
  const [field = '', part] = name.split('.')
  const label = memberLabel(resource, field)
  return part === undefined ? label : `${label}, ${translated(part)}`
}

/** The form keeps the filters; it is sent through /forms, which removes empty parameters. */
export function summaryForm(layout: PageLayout, resource: ResourceModel): Markup {
  const { caller } = layout
  const location = parseListLocation(layout)
  const { attributes } = queryableFieldsOf(resource, { caller })
  const groups = [...groupTermsOf(attributes).keys()].filter((name) => name !== 'id')
  const aggregates = [...aggregateTermsOf(attributes).keys()]
  const hidden = activeFilters(location).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const group = findParameter(location, 'group-by') ?? ''
  const aggregate = findParameter(location, 'aggregate')
  return html`<form class="filter" method="get" action="${groupsFormUri(layout)}">
${hidden}
<div class="grid"><div class="field"><label for="summary-group">Group by</label><select id="summary-group" name="group-by"><option value="">All together</option>${options(resource, groups, group)}</select></div>
<div class="field"><label for="summary-value">Show</label><select id="summary-value" name="aggregate">${options(resource, aggregates, aggregate ?? 'count')}</select></div></div>
<div class="buttons"><button class="main">Summarise</button></div>
</form>`
}

/** The names to choose from; a chosen combination of several names is one more. */
function options(resource: ResourceModel, names: readonly string[], chosen: string): readonly Markup[] {
  const all = chosen === '' || names.includes(chosen) ? names : [chosen, ...names]
  return all.map((name) => {
    const members = name.split(',').map((member) => formatMember(resource, member))
    return html`<option value="${name}"${name === chosen && html` selected`}>${members.reduce((list, member) => phrase`${list} and ${member}`)}</option>`
  })
}
