/** Values as HTML: times in words, references by title, lists as chips. */

import { isFileList } from '../../definition/file-fields.ts'
import { markdownType } from '../../definition/kinds/text.ts'
import type { FieldModel, JsonValue, ResourceModel, Stored } from '../../definition/model.ts'
import { fileMember, listedFileMembers } from '../../views/file-member.ts'
import { extensionRelation } from '../../views/link-relation.ts'
import { elementIdsOf, titleKey } from '../../views/set-element-ids.ts'
import { referenceUri } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { pageLanguage, phrase } from '../page-language.ts'
import { formatLabel } from './field-label.ts'
import { fileMarkup } from './file-markup.ts'
import { jobValue } from './job-markup.ts'
import { renderMarkdown } from './markdown.ts'
import { escapeText, html, type Markup, trustedMarkup } from './markup.ts'
import { shownText, writtenValue } from './written-value.ts'

/** The value of a field in a table cell, shortened. */
export function shortValue(layout: PageLayout, item: ItemView, field: FieldModel): string {
  const stored = item.row[field.outputIndex]
  if (stored === null || stored === undefined) return ''
  return writeValue(layout, item, field, stored, shortStyle)
}

/** The complete value of a field on the page of its item; long texts are folded. */
export function fullValue(layout: PageLayout, item: ItemView, field: FieldModel): Markup {
  const stored = item.row[field.outputIndex]
  if (stored === null || stored === undefined) return html`<span class="absent">none</span>`
  return trustedMarkup(writeValue(layout, item, field, stored, fullStyle))
}

interface ValueStyle {
  writeText(text: string): string
  writeMarkdown(text: string): string
  /** Writes the text of a JSON value. */
  writeJson(text: string): string
  /** Whether an image or a player is shown besides the name of a file. */
  readonly preview: 'none' | 'full'
  /** The most items of a list to show. */
  readonly items: number
}

function writeValue(
  layout: PageLayout,
  item: ItemView,
  field: FieldModel,
  stored: Exclude<Stored, null>,
  style: ValueStyle,
): string {
  const ofJob = jobValue(item, field, stored)
  if (ofJob !== undefined) return ofJob
  switch (field.kind.shape) {
    case 'boolean':
      return stored === 1 ? phrase`yes` : phrase`no`
    case 'list':
      if (field.refs) return members(layout, item, field, style)
      if (isFileList(field)) return fileList(item, field, stored, style)
      return chips(field, field.decode(stored) as readonly JsonValue[], style)
    case 'file':
      return fileMarkup(fileMember(item.visibleFields.resource, field, item.row, stored), style)
    case 'json':
      return style.writeJson(String(stored))
    case 'number':
      return escapeText(writtenValue(field, String(field.decode(stored))))
    case 'text':
      return field.ref ? reference(layout, item, field, stored) : writeSingleText(item, field, stored, style)
  }
}

function writeSingleText(
  { visibleFields: { resource } }: ItemView,
  field: FieldModel,
  stored: Exclude<Stored, null>,
  style: ValueStyle,
): string {
  const { isText, choices, order, input } = field.kind
  const text = String(field.decode(stored))
  if (isText)
    return field.schema.contentMediaType === markdownType
      ? style.writeMarkdown(text)
      : style.writeText(shownText(resource, text))
  if (choices !== 'none') return badge(text, field)
  if (order === 'instant') return timeMarkup(text)
  if (order === 'day') return `<time datetime="${text}">${escapeText(writtenValue(field, text))}</time>`
  if (input.type === 'email') return `<a href="mailto:${escapeText(encodeURI(text))}">${escapeText(text)}</a>`
  if (input.type === 'url')
    return `<a href="${escapeText(httpUrl(text))}" rel="noopener noreferrer nofollow">${style.writeText(text)}</a>`
  return escapeText(writtenValue(field, text))
}

/** In a table the names, on the page of the item a preview of each file. */
function fileList(
  { row, visibleFields }: ItemView,
  field: FieldModel,
  stored: Exclude<Stored, null>,
  style: ValueStyle,
): string {
  const files = listedFileMembers(visibleFields.resource, field, row, stored)
  const shown = files.slice(0, style.items).map((file) => fileMarkup(file, style))
  if (style.preview === 'none') return chipList(shown, files.length - shown.length)
  if (files.length === 0) return absent()
  return `<ul class="files">${shown.map((file) => `<li>${file}</li>`).join('')}</ul>`
}

/** A link if the caller may follow it, else the title or id. */
function reference(
  { titles }: PageLayout,
  { row, hypermedia }: ItemView,
  field: FieldModel,
  stored: Exclude<Stored, null>,
): string {
  const rel = extensionRelation(field.name)
  const link = hypermedia?.links.find((one) => one.rel === rel)
  const name = escapeText(titles.get(String(row[field.index])) ?? shortId(String(stored)))
  return link ? `<a href="${escapeText(link.target)}">${name}</a>` : `<code>${name}</code>`
}

/** A chip for each member of a set: a link if the caller may follow it, else the title or id. */
function members(
  { model, titles }: PageLayout,
  item: ItemView,
  field: FieldModel,
  { items }: ValueStyle,
): string {
  const target = field.refs?.resource as ResourceModel
  const rel = extensionRelation(field.name)
  const links = new Set(
    item.hypermedia?.links.filter((link) => link.rel === rel).map((link) => link.target) ?? [],
  )
  const ids = elementIdsOf(item, field)
  const shown = ids.slice(0, items).map((id) => {
    const name = escapeText(titles.get(titleKey(target, id)) ?? shortId(id))
    const uri = referenceUri(model, target, id)
    return links.has(uri) ? `<a href="${escapeText(uri)}">${name}</a>` : `<code>${name}</code>`
  })
  return chipList(shown, ids.length - shown.length)
}

/** The end of a UUID, which is enough to tell items apart; other ids unchanged. */
export function shortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? `…${id.slice(-8)}` : id
}

/** The URL if it is http or https, else `#`, so that no other scheme becomes a link. */
function httpUrl(text: string): string {
  return /^https?:\/\//i.test(text) ? text : '#'
}

/** The value of a choice or state, in the tone that the definition gives it. */
export function badge(text: string, field?: FieldModel): string {
  const tone = field?.tones.get(text)
  if (tone !== undefined)
    return `<span class="badge" data-tone="${tone}">${escapeText(formatLabel(text))}</span>`
  return `<span class="badge" data-value="${escapeText(text)}">${escapeText(formatLabel(text))}</span>`
}

function chips({ item }: FieldModel, values: readonly JsonValue[], { writeText, items }: ValueStyle): string {
  const shown = values
    .slice(0, items)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .map((text) => writeText(item ? writtenValue(item, text) : text))
  return chipList(shown, values.length - shown.length)
}

function absent(): string {
  return `<span class="absent">${escapeText(phrase`none`)}</span>`
}

function chipList(shown: readonly string[], further: number): string {
  let text = ''
  for (const one of shown) text += `<li>${one}</li>`
  if (further > 0) text += `<li>+${further}</li>`
  return text === '' ? absent() : `<ul class="chips">${text}</ul>`
}

/** A time in UTC, which the script replaces by local time; the title has the exact value. */
export function timeMarkup(iso: string): string {
  const exact = escapeText(iso)
  return `<time datetime="${exact}" title="${exact}">${escapeText(formatTime(iso))}</time>`
}

/** A time in a table, without a tooltip: the script adds one. */
export function shortTimeMarkup(iso: string): string {
  return `<time datetime="${escapeText(iso)}">${escapeText(formatTime(iso))}</time>`
}

/** A time in UTC, in the language of the page. */
export function formatTime(iso: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(iso)
  if (!parts) return iso
  const [, day = '', clock] = parts
  return `${pageLanguage().formatDay(day)}, ${clock} UTC`
}

const maxExcerptLength = 80

/** The beginning of the text, escaped. */
export function excerpt(text: string): string {
  if (text.length <= maxExcerptLength) return escapeText(text)
  return `${escapeText(text.slice(0, maxExcerptLength - 1).toWellFormed())}…`
}

const maxUnfoldedLength = 600

function folded(text: string): string {
  return foldedMarkup(text, `<span class="text">${escapeText(text)}</span>`)
}

function foldedMarkdown(text: string): string {
  return foldedMarkup(text, `<div class="markdown">${renderMarkdown(text)}</div>`)
}

/** The markup of a text; of a long one, behind its beginning. */
function foldedMarkup(text: string, full: string): string {
  if (text.length <= maxUnfoldedLength) return full
  const beginning = escapeText(text.slice(0, 160).toWellFormed())
  const all = escapeText(phrase`Show all ${text.length} characters`)
  return `<details class="long"><summary><span>${beginning}… </span><em class="more">${all}</em><em class="less">${escapeText(phrase`Show less`)}</em></summary>${full}</details>`
}

/** With a line for each part. */
function fullJson(text: string): string {
  const indented = escapeText(JSON.stringify(JSON.parse(text), null, 2))
  return foldedMarkup(text, `<pre tabindex="0"><code>${indented}</code></pre>`)
}

const shortStyle: ValueStyle = {
  writeText: excerpt,
  writeMarkdown: excerpt,
  writeJson: (text) => `<code>${excerpt(text)}</code>`,
  items: 3,
  preview: 'none',
}
const fullStyle: ValueStyle = {
  writeText: folded,
  writeMarkdown: foldedMarkdown,
  writeJson: fullJson,
  items: Number.POSITIVE_INFINITY,
  preview: 'full',
}
