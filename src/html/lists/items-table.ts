/** The items of a collection as a table. Rows are built as plain strings, which is faster. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, Model, ResourceModel } from '../../definition/model.ts'
import { createdAt, systemFields, updatedAt } from '../../definition/system-fields.ts'
import { never } from '../../store/condition.ts'
import { findTitleField } from '../../views/item-title.ts'
import { lastChangeTime } from '../../views/opaque-tag.ts'
import { collectionUri, formUriOf, idOf } from '../../views/uri.ts'
import type { CollectionView, ItemView } from '../../views/view.ts'
import { ownTokenMark } from '../forms/token-markup.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { collectionLabel } from '../markup/collection-nouns.ts'
import { shortId, shortTimeMarkup, shortValue } from '../markup/display-value.ts'
import { fieldLabel } from '../markup/field-label.ts'
import { escapeText, html, type Markup, trustedMarkup } from '../markup/markup.ts'
import { selectionBox } from '../selection/selection-markup.ts'
import { isQueryable } from './list-facets.ts'
import { findParameter, formatListUri, type ListLocation, parseListLocation } from './list-location.ts'
import { chooseColumns, isNumeric, type TableColumns } from './table-columns.ts'

/** For a `selection`, each row has a box that selects it. The order of a `result` is that of its query. */
export function itemsTable(layout: PageLayout, view: CollectionView, use?: 'selection' | 'result'): Markup {
  const selection = use === 'selection'
  const columns = chooseColumns(layout, view)
  const { title, others } = columns
  const location = parseListLocation(layout)
  let rows = ''
  for (const [at, item] of view.items.entries()) {
    rows += itemRow(layout, item, columns, selection ? `r${at}` : undefined)
  }
  const shown = title ? [title, ...others] : others
  const edited = findCellFields(layout.model, view.resource, layout.caller)
  const heads = shown.map((field) =>
    columnHead(layout, view, location, {
      field,
      edit: edited.has(field) && editAttributes(field),
      // The values of the title begin at the left, also where they are numbers.
      isRight: field !== title && isNumeric(field),
      isSorted: use !== 'result',
    }),
  )
  const forms =
    edited.size > 0 &&
    html` data-forms="${formUriOf(layout.model, collectionUri(layout.model, view.resource))}"`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${collectionLabel(view.resource)}"><table class="list"${forms}>
<thead><tr>${selection && html`<td class="pick"></td>`}${!title && html`<th scope="col">ID</th>`}${heads}</tr></thead>
<tbody>
${trustedMarkup(rows)}</tbody></table></div>`
}

/**
 * The fields that the caller may change on some items; the form of an item decides about that item. A login is left out,
 * because changing it needs the password too.
 */
function findCellFields(
  { accounts }: Pick<Model, 'accounts'>,
  resource: ResourceModel,
  caller: Principal,
): ReadonlySet<FieldModel> {
  const { update, writability } = rightsOf(resource, caller)
  if (!resource.itemMethods.has('PATCH') || update.kind === 'never') return new Set()
  const fields = resource.fields.filter(
    (field) =>
      field.kind.isEditedInCells &&
      !field.immutable &&
      field !== resource.keyField &&
      field !== accounts?.login &&
      (writability.get(field) ?? never).kind !== 'never',
  )
  return new Set(fields)
}

/** Tells the script which field the cells of the column have. */
function editAttributes({ name }: FieldModel): Markup {
  return html` data-field="${name}"`
}

interface ColumnHead {
  readonly field: FieldModel
  /** Whether it leads to the list in its order. */
  readonly isSorted: boolean
  readonly edit: Markup | false
  /** Whether its values end at the right, as numbers do. */
  readonly isRight: boolean
}

function columnHead(
  layout: PageLayout,
  { resource }: CollectionView,
  location: ListLocation,
  { field, edit, isRight, isSorted }: ColumnHead,
): Markup {
  const numeric = isRight && html` class="number"`
  const name = isSorted ? sortName(layout, resource, field) : undefined
  if (name === undefined) return html`<th scope="col"${numeric}${edit}>${fieldLabel(field)}</th>`
  const sort = findParameter(location, 'sort') ?? defaultSort(resource)
  return html`<th scope="col"${numeric}${edit}${sortedBy(sort, name)}>${sortLink(location, { sort, name }, fieldLabel(field))}</th>`
}

/** The parameter `sort` for the column; a reference sorts by the title of its item. Undefined where it cannot be sorted. */
function sortName(layout: PageLayout, resource: ResourceModel, field: FieldModel): string | undefined {
  if (systemFields.has(field.name)) return field.name
  if (!isQueryable(layout, resource, field) || field.kind.order === 'none') return undefined
  if (!field.ref) return field.name
  const target = field.ref.resource
  const title = findTitleField(target)
  return title && isQueryable(layout, target, title) ? `${field.name}.${title.name}` : undefined
}

/** The order of lists without `sort`, if it is by one field. */
function defaultSort({ presentation }: ResourceModel): string | undefined {
  const [first, ...further] = presentation.defaultSort
  if (!first || further.length > 0) return undefined
  return first.descending ? `-${first.name}` : first.name
}

function sortedBy(sort: string | undefined, name: string): Markup | undefined {
  if (sort === name) return html` aria-sort="ascending"`
  return sort === `-${name}` ? html` aria-sort="descending"` : undefined
}

interface SortedColumn {
  /** The order of the list. */
  readonly sort: string | undefined
  readonly name: string
}

function sortLink(location: ListLocation, { sort, name }: SortedColumn, text: string): Markup {
  const next = sort === name ? `-${name}` : name
  return html`<a href="${formatListUri(location, { sort: next })}">${text}</a>`
}

function itemRow(
  layout: PageLayout,
  item: ItemView,
  { title, others }: TableColumns,
  titleId: string | undefined,
): string {
  const { resource } = item.visibleFields
  const box = titleId === undefined ? '' : selectionBox(idOf(resource, item.row), titleId)
  const named = titleId === undefined ? '' : ` id="${titleId}"`
  let text = `<tr>${box}<th${named} scope="row">${itemLink(layout, item, title)}${ownTokenMark(layout, item) ?? ''}</th>`
  for (const field of others) {
    const shown = cellValue(layout, item, field)
    text += isNumeric(field) ? `<td class="number">${shown}</td>` : `<td>${shown}</td>`
  }
  return `${text}</tr>\n`
}

function cellValue(layout: PageLayout, item: ItemView, field: FieldModel): string {
  if (field === updatedAt) return shortTimeMarkup(lastChangeTime(item))
  if (field === createdAt) return shortTimeMarkup(String(item.row[field.index]))
  return item.visibleFields.fields.includes(field) ? shortValue(layout, item, field) : ''
}

/** The link to the item: its title, or its id if it has none. */
function itemLink(layout: PageLayout, item: ItemView, title: FieldModel | undefined): string {
  const shown = title && item.visibleFields.fields.includes(title) ? shortValue(layout, item, title) : ''
  const name = shown.trim() === '' ? escapeText(shortId(idOf(item.visibleFields.resource, item.row))) : shown
  const self = item.hypermedia?.links.find(({ rel }) => rel === 'self')
  return self ? `<a href="${escapeText(self.target)}">${name}</a>` : name
}
