/** The members that a change gave other values. */

import type { FileValue } from '../../definition/field.ts'
import { findFileModel } from '../../definition/file-fields.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../../definition/model.ts'
import { titleKey } from '../../views/set-element-ids.ts'
import type { Entry } from '../../views/view.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { memberLabel, valueInSentence } from '../markup/field-label.ts'
import { fileMarkup } from '../markup/file-markup.ts'
import { html, type Markup, type MarkupPart, trustedMarkup } from '../markup/markup.ts'
import { writtenValue } from '../markup/written-value.ts'

/** Each member with both values. */
export function changeList(
  layout: PageLayout,
  resource: ResourceModel | undefined,
  changes: JsonValue,
): Markup {
  const rows = Object.entries(Object(changes) as Readonly<Record<string, Entry>>).map(
    ([name, { from, to }]) => {
      const field = resource?.fieldByName.get(name)
      const shown = (value: JsonValue | undefined) =>
        value === undefined ? undefined : versionValue(layout, field, value, maxShownLength)
      return changeRow(memberLabel(resource, name), shown(from), shown(to))
    },
  )
  return html`<dl class="changes">${rows}</dl>`
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

function changeRow(label: string, from: MarkupPart, to: MarkupPart): Markup {
  const before = from !== undefined && html`<del>${from}</del> `
  const after = to === undefined ? html`<span class="absent">none</span>` : html`<ins>${to}</ins>`
  return html`<div><dt>${label}</dt><dd>${before}${after}</dd></div>`
}

/** Characters of a value in the table. */
const maxShownLength = 300
