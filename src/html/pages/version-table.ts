/** The versions of an item, each with what it changed. */

import type { FileValue } from '../../definition/field.ts'
import { findFileModel } from '../../definition/file-fields.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../../definition/model.ts'
import { formatPath } from '../../http/request-target.ts'
import { titleKey } from '../../views/set-element-ids.ts'
import { referenceUri } from '../../views/uri.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { timeMarkup } from '../markup/display-value.ts'
import { formatLabel, memberLabel, valueInSentence } from '../markup/field-label.ts'
import { fileMarkup } from '../markup/file-markup.ts'
import { html, type Markup, type MarkupPart, trustedMarkup } from '../markup/markup.ts'
import { writtenValue } from '../markup/written-value.ts'

/** A version, or one of its changes. */
export type VersionMembers = Readonly<Record<string, JsonValue>>

/** The item that a history is about. */
interface HistorySubject {
  /** Of the history. */
  readonly uri: string
  readonly resource: ResourceModel | undefined
}

/** The versions, each with what it changed. */
export function versionTable(
  layout: PageLayout,
  versions: readonly VersionMembers[],
  subject: HistorySubject,
): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Versions"><table class="history"><thead><tr><th scope="col">Time</th><th scope="col">By</th><th scope="col">What</th><th scope="col">Changes</th></tr></thead>
<tbody>${versions.map((version) => versionRow(layout, version, subject))}</tbody></table></div>`
}

function versionRow(
  layout: PageLayout,
  { version, at, by, kind, changes }: VersionMembers,
  { uri, resource }: HistorySubject,
): Markup {
  const time = trustedMarkup(timeMarkup(String(at)))
  const changed = Object.entries((changes ?? {}) as Readonly<Record<string, VersionMembers>>)
  const rows = changed.map(([name, { from, to }]) => {
    const field = resource?.fieldByName.get(name)
    const shown = (value: JsonValue | undefined) =>
      value === undefined ? undefined : versionValue(layout, field, value, maxShownLength)
    return changeRow(memberLabel(resource, name), shown(from), shown(to))
  })
  return html`<tr><td><a href="${formatPath(uri, [String(version)])}">${time}</a></td><td>${author(layout, by)}</td><td>${formatLabel(String(kind))}</td><td><dl class="changes">${rows}</dl></td></tr>`
}

/** The value as people name it, with links to files; text ends at that length. */
export function versionValue(
  layout: PageLayout,
  field: FieldModel | undefined,
  value: JsonValue,
  maxLength = Number.POSITIVE_INFINITY,
): MarkupPart {
  if (field && findFileModel(field)) return filesMarkup(value)
  const named = nameValue(layout, field, value)
  const text = typeof named === 'string' ? named : JSON.stringify(named)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Of a file, or a list of files, as views/file-member.ts shows them. */
function filesMarkup(value: JsonValue): MarkupPart {
  const files = (Array.isArray(value) ? value : [value]) as readonly FileValue[]
  return files.map((file, at) => [at > 0 && ', ', trustedMarkup(fileMarkup(file, { preview: 'none' }))])
}

/** Items by title, numbers and days in the language of the page. */
function nameValue({ titles }: PageLayout, field: FieldModel | undefined, value: JsonValue): JsonValue {
  if (!field) return value
  const { ref, refs, kind } = field
  if (kind.choices !== 'none' && typeof value === 'string') return valueInSentence(value)
  if (ref) return titles.get(String(value)) ?? value
  if (refs && Array.isArray(value)) {
    return value.map((id) => titles.get(titleKey(refs.resource, String(id))) ?? String(id)).join(', ')
  }
  return typeof value === 'string' || typeof value === 'number' ? writtenValue(field, String(value)) : value
}

/** A link to the account where its title is known, because the caller may read it then. */
function author({ model, titles }: PageLayout, by: JsonValue | undefined): Markup {
  if (by === undefined) return html`<span class="absent">unknown</span>`
  const name = titles.get(String(by))
  if (name === undefined || !model.accounts) return html`${String(by)}`
  return html`<a href="${referenceUri(model, model.accounts.resource, String(by))}">${name}</a>`
}

function changeRow(label: string, from: MarkupPart, to: MarkupPart): Markup {
  const before = from !== undefined && html`<del>${from}</del> `
  const after = to === undefined ? html`<span class="absent">none</span>` : html`<ins>${to}</ins>`
  return html`<div><dt>${label}</dt><dd>${before}${after}</dd></div>`
}

/** Characters of a value in the table. */
const maxShownLength = 300
