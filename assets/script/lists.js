/** Tables of items: selecting, moving between cells, and reading the rows again. */

import { announcePart, loadPage } from './pages.js'
import { phrase } from './phrases.js'

/** A box that selects all rows of the table. */
export function addSelectAll(cell) {
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.setAttribute('aria-label', phrase('Select all'))
  box.addEventListener('change', () => {
    for (const one of cell.closest('table').querySelectorAll('tbody .pick input')) one.checked = box.checked
  })
  cell.replaceChildren(box)
}

/** The cell in the same column of a row near it; undefined at the edges of the table. */
export function nearbyCell(cell, { right = 0, down = 0 }) {
  const row = cell.closest('tbody').rows[cell.parentNode.sectionRowIndex + down]
  const near = row?.cells[cell.cellIndex + right]
  return near?.classList.contains('pick') ? undefined : near
}

/** Cells are no stops of the Tab key; the link of the row is. */
export function focusCell(cell) {
  if (!cell) return false
  const target = cell.tagName === 'TH' ? (cell.querySelector('a') ?? cell) : cell
  if (target === cell) cell.tabIndex = -1
  target.focus()
  return true
}

/** Focuses a cell by the URI of its item; the table, if the item is not in it any more. */
export function focusOnCell(table, { uri, column }) {
  if (!table) return
  const link = [...table.querySelectorAll('tbody th a')].find(({ pathname }) => pathname === uri)
  if (!link) table.closest('.scroll').focus()
  else focusCell(link.closest('tr').cells[column])
}

/** The cell with the focus, so that it gets the focus again after its row was replaced. */
export function focusedPlace(part) {
  const cell = document.activeElement?.closest('.list tbody :is(td, th)')
  const link = cell?.parentNode.querySelector('th a')
  return link && part.contains(cell) ? { uri: link.pathname, column: cell.cellIndex } : undefined
}

/** Reads the rows of the table again. Selected rows stay selected. Returns the notice of the page. */
export async function reloadRows(table) {
  const { ok, page } = await loadPage(location.href)
  const part = table.closest('[id]')
  const notice = page.querySelector('[data-notice]')?.textContent
  // Another edit would be lost; its end reads the rows again. A table that was replaced has new rows already.
  if (!ok || !part || table.querySelector('.editor')) return notice
  const rows = page.getElementById(part.id)?.querySelector('.list > tbody')
  // No item of the list is left.
  if (!rows) {
    location.reload()
    return undefined
  }
  const selected = [...table.querySelectorAll('tbody .pick input:checked')].map(({ value }) => value)
  const place = focusedPlace(table)
  table.tBodies[0].replaceWith(rows)
  announcePart(rows)
  for (const box of table.querySelectorAll('tbody .pick input')) box.checked = selected.includes(box.value)
  if (place) focusOnCell(table, place)
  return notice
}
