/** The HTML page with the form that imports a file, and the same page after a file was refused. */

import type { ResourceModel } from '../../definition/model.ts'
import { maxItems } from '../../formats/format.ts'
import { formDataType } from '../../http/multipart.ts'
import { maxFaults } from '../../refusal.ts'
import { collectionUri } from '../../views/uri.ts'
import type { DocumentView, ProblemView } from '../../views/view.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { collectionNoun } from '../markup/collection-nouns.ts'
import { html, type Markup } from '../markup/markup.ts'
import { columnHeads, tableMarkup } from '../markup/table-markup.ts'
import { formatNumber, phrase, translated, translateText } from '../page-language.ts'
import type { RefusedImport } from '../page-view.ts'
import { formKeyName } from './action-form.ts'
import { breadcrumbs, resourceOf } from './form-pages.ts'
import { columnsOf, type ImportFault, importFileName, importUri } from './import-view.ts'

export function importPage(layout: PageLayout, view: DocumentView): HtmlPage {
  return pageWith(layout, { resource: resourceOf(view), columns: columnsOf(view) })
}

export function refusedImportPage(
  layout: PageLayout,
  problem: ProblemView,
  refused: RefusedImport,
): HtmlPage {
  const { title, main } = pageWith(layout, refused, faultNotice(problem, refused.faults))
  return { title: `${translated(problem.title)}: ${title}`, main }
}

function pageWith(
  layout: PageLayout,
  { resource, columns }: Pick<RefusedImport, 'resource' | 'columns'>,
  notice?: Markup,
): HtmlPage {
  const title = phrase`Import ${collectionNoun(resource)}`
  const main = html`${breadcrumbs(layout, resource, [title])}
<h1>${title}</h1>
${notice}
${fileForm(layout, resource)}
${columnList(columns)}`
  return { title, main }
}

function fileForm(layout: PageLayout, resource: ResourceModel): Markup {
  const { model, formKey } = layout
  return html`<form method="post" action="${importUri(model, resource)}" enctype="${formDataType}" data-send class="form import">
<input type="hidden" name="${formKeyName}" value="${formKey}">
<div class="field"><label for="import-file">File</label>
<input id="import-file" type="file" name="${importFileName}" accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson" required aria-describedby="import-help">
<p class="help" id="import-help">CSV or NDJSON in UTF-8, with up to ${formatNumber(maxItems)} rows. All rows are imported, or none.</p></div>
<div class="buttons"><button class="main">Import</button> <a href="${collectionUri(model, resource)}">Cancel</a></div>
</form>`
}

/** The columns that the file may have. */
function columnList(columns: RefusedImport['columns']): Markup {
  const items = columns.map(
    ({ name, required }) => html`<li><code>${name}</code>${required && html` (required)`}</li>`,
  )
  return html`<section class="card"><h2>Columns</h2>
<p>The first line of a CSV file names the columns. An NDJSON file has one JSON object on each line, with these members.</p>
<ul>${items}</ul></section>`
}

/** Says that nothing was imported, and the reason. The page opens with the focus here. */
function faultNotice(problem: ProblemView, faults: readonly ImportFault[]): Markup {
  const [first] = problem.errors ?? []
  const text = faults.length > 0 ? nextStep(faults) : translateText(first?.detail ?? problem.detail)
  return html`<div class="alert" role="alert" tabindex="-1" autofocus><p><strong>Nothing was imported.</strong> ${text}</p></div>
${faults.length > 0 && faultTable(faults)}`
}

function nextStep(faults: readonly ImportFault[]): string {
  const rows = new Set(faults.map(({ line }) => line)).size
  if (faults.length >= maxFaults)
    return phrase`Correct these rows and send the file again. More rows may have faults.`
  return rows === 1
    ? phrase`Correct 1 row and send the file again.`
    : phrase`Correct ${rows} rows and send the file again.`
}

const maxShown = 100

function faultTable(faults: readonly ImportFault[]): Markup {
  const rows = faults
    .slice(0, maxShown)
    .map(
      ({ line, column, member, detail }) =>
        html`<tr><th scope="row" class="number">${line}</th><td>${column !== undefined && `${column} `}${member !== undefined && html`<code>${member}</code>`}</td><td>${translateText(detail)}</td></tr>`,
    )
  const more = faults.length - rows.length
  return html`${tableMarkup(phrase`Faults`, columnHeads([phrase`Line`, phrase`Column`, phrase`Fault`]), rows)}
${more > 0 && html`<p>${phrase`${more} more faults are not shown.`}</p>`}`
}
