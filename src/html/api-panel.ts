/** The end of an HTML page: its data in other formats, and the request that shows it to a program. */

import { confirmationCode, currentPassword } from '../definition/current-password.ts'
import { fieldExample } from '../definition/field-example.ts'
import { findFileModel } from '../definition/file-fields.ts'
import type { JsonValue, ResourceModel } from '../definition/model.ts'
import type { Action, Input } from '../views/hypermedia-controls.ts'
import { collectionUri } from '../views/uri.ts'
import type { ItemView } from '../views/view.ts'
import { formEntityTag, formMethod } from './forms/action-form.ts'
import { resourceOf } from './forms/form-pages.ts'
import { columnsOf } from './forms/import-view.ts'
import type { PageLayout } from './loading/page-layout.ts'
import { html, type Markup } from './markup/markup.ts'
import type { PageView, RefusedImport } from './page-view.ts'
import { copyableSnippet, formatCurl, formatFetch, type RequestExample } from './pages/request-example.ts'

/** The links and the panel; undefined where the page shows nothing that a program can request. */
export function apiPanel(layout: PageLayout, view: PageView): Markup | undefined {
  const example = requestOf(layout, view)
  if (!example) return undefined
  return html`<footer class="data">
${layout.alternates.length > 0 && formatLinks(layout)}
<details class="api"><summary>API</summary>
${example.hasToken && tokenNote(layout)}
${copyableSnippet('curl', formatCurl(example))}${copyableSnippet('fetch', formatFetch(example))}
</details></footer>`
}

function formatLinks({ alternates }: PageLayout): Markup {
  const links = alternates.map(
    ({ uri, mediaType, name }) =>
      html`<li><a href="${uri}" type="${mediaType}">${name.toUpperCase()}</a></li>`,
  )
  return html`<p>This data as</p><ul class="inline" aria-label="This data in other formats">${links}</ul>`
}

function tokenNote({ model }: PageLayout): Markup {
  const { tokens } = model
  const own = tokens && html` <a href="${collectionUri(model, tokens)}">Your tokens</a>`
  return html`<p>The requests send the token in the variable <code>TOKEN</code>.${own}</p>`
}

function requestOf(layout: PageLayout, view: PageView): RequestExample | undefined {
  const { origin, uri, caller, alternates } = layout
  const form = formOf(view)
  if (form) return formRequest(layout, form)
  const imported = importOf(view)
  if (imported) return importRequest(layout, imported)
  const isForPeople = view.kind === 'document' && pagesForPeople.has(view.page ?? '')
  if (isForPeople || !alternates.some(({ name }) => name === 'json')) return undefined
  return {
    method: 'GET',
    url: origin + uri,
    fields: { Accept: 'application/json' },
    hasToken: caller.kind !== 'anonymous',
  }
}

/** Pages that lead people through signing in. Some have secrets in their URIs, which no example may repeat. */
const pagesForPeople: ReadonlySet<string> = new Set([
  ...['sign-in', 'sign-out', 'second-factor', 'password-resets', 'password-reset'],
  ...['sign-in-links', 'sign-in-link'],
  ...['invitation', 'verifications', 'verification', 'mails', 'selection'],
])

/** The form that a page consists of. */
interface PageForm {
  readonly action: Action
  readonly resource: ResourceModel
  /** The item that it changes. */
  readonly item: ItemView | undefined
}

function formOf(view: PageView): PageForm | undefined {
  if (view.kind === 'problem') {
    const { action, resource, item } = view.form ?? {}
    return action && resource && !action.isOfDocument ? { action, resource, item } : undefined
  }
  if (view.kind !== 'document' || !formPages.has(view.page ?? '')) return undefined
  const { hypermedia, resource } = view
  const [action] = hypermedia?.actions ?? []
  const item = view.page === 'edit-form' ? view.item : undefined
  return action && resource ? { action, resource, item } : undefined
}

const formPages: ReadonlySet<string> = new Set(['creation-form', 'edit-form'])

/** The request that the form sends, with its values and examples of those that are missing. */
function formRequest(layout: PageLayout, { action, resource, item }: PageForm): RequestExample {
  const { origin, caller } = layout
  const { target, inputs } = action
  const method = item ? formMethod(action, item) : action.method
  const content = contentOf(resource, inputs)
  const hasContent = action.contentType !== undefined
  return {
    method,
    url: origin + target,
    fields: {
      Accept: 'application/json',
      ...(item ? { 'If-Match': formEntityTag(layout, item) } : {}),
      ...(hasContent ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(hasContent ? { body: JSON.stringify(content) } : {}),
    hasToken: caller.kind !== 'anonymous',
  }
}

/** The collection of a page that imports a file, and the columns of the file. */
type PageImport = Pick<RefusedImport, 'resource' | 'columns'>

function importOf(view: PageView): PageImport | undefined {
  if (view.kind === 'problem') return view.refusedImport
  if (view.kind !== 'document' || view.page !== 'import-form') return undefined
  return { resource: resourceOf(view), columns: columnsOf(view) }
}

/** The POST that creates many items, with one example: a file has the same content in another format. */
function importRequest(
  { model, origin, caller }: PageLayout,
  { resource, columns }: PageImport,
): RequestExample {
  const required = new Set(columns.filter((column) => column.required).map(({ name }) => name))
  const members = resource.fields.flatMap((field): readonly (readonly [string, JsonValue])[] => {
    const value = required.has(field.name) ? fieldExample(resource, field) : undefined
    return value === undefined ? [] : [[field.name, value]]
  })
  const content = [Object.fromEntries(members)]
  return {
    method: 'POST',
    url: origin + collectionUri(model, resource),
    fields: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify(content),
    hasToken: caller.kind !== 'anonymous',
  }
}

function contentOf(resource: ResourceModel, inputs: readonly Input[]): Readonly<Record<string, JsonValue>> {
  const members = inputs.flatMap((input): readonly (readonly [string, JsonValue])[] => {
    const { field, required } = input
    if (findFileModel(field) || field === currentPassword || field === confirmationCode) return []
    const value = input.value ?? (required ? fieldExample(resource, field) : undefined)
    return value === undefined ? [] : [[field.name, value]]
  })
  return Object.fromEntries(members)
}
