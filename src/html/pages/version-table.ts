/** The versions of an item, each with what it changed. */

import type { JsonValue, ResourceModel } from '../../definition/model.ts'
import { formatPath } from '../../http/request-target.ts'
import { referenceUri } from '../../views/uri.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { timeMarkup } from '../markup/display-value.ts'
import { formatLabel, memberLabel, valueInSentence } from '../markup/field-label.ts'
import { html, type Markup, trustedMarkup } from '../markup/markup.ts'
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
    const isEnumerated = field !== undefined && field.kind.choices !== 'none'
    const named = (value: JsonValue | undefined) => {
      if (isEnumerated && typeof value === 'string') return valueInSentence(value)
      if (field?.ref) return layout.titles.get(String(value)) ?? value
      return field && isWritten(value) ? writtenValue(field, String(value)) : value
    }
    return changeRow(memberLabel(resource, name), named(from), named(to))
  })
  return html`<tr><td><a href="${formatPath(uri, [String(version)])}">${time}</a></td><td>${author(layout, by)}</td><td>${formatLabel(String(kind))}</td><td><dl class="changes">${rows}</dl></td></tr>`
}

function isWritten(value: JsonValue | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** A link to the account where its title is known, because the caller may read it then. */
function author({ model, titles }: PageLayout, by: JsonValue | undefined): Markup {
  if (by === undefined) return html`<span class="absent">unknown</span>`
  const name = titles.get(String(by))
  if (name === undefined || !model.accounts) return html`${String(by)}`
  return html`<a href="${referenceUri(model, model.accounts.resource, String(by))}">${name}</a>`
}

function changeRow(label: string, from: JsonValue | undefined, to: JsonValue | undefined): Markup {
  const before = from === undefined ? undefined : html`<del>${formatChanged(from)}</del> `
  const after =
    to === undefined ? html`<span class="absent">none</span>` : html`<ins>${formatChanged(to)}</ins>`
  return html`<div><dt>${label}</dt><dd>${before}${after}</dd></div>`
}

const maxShownLength = 300

function formatChanged(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text
}
