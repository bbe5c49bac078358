/** Keyboard shortcuts. */

import { openEditor } from './cells.js'
import { focusCell, nearbyCell } from './lists.js'

/** Single keys act where nothing is being typed. */
export function useShortcut(event) {
  const isTyping = event.target.closest?.('input, select, textarea, dialog, [popover], .editor')
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const cell = event.target.closest?.('.list tbody :is(td, th)')
  const action = shortcuts[event.key] ?? (cell && cellShortcuts[event.key])
  if (action?.(cell, event.target)) event.preventDefault()
}

/** Each returns whether the page has what it needs. */
const shortcuts = {
  '/': () => focusOn(document.querySelector('.search input[type="search"]')),
  n: () => followLink(document.querySelector('a#new')),
  e: () => followLink(document.querySelector('a#edit')),
  j: () => moveRow(1),
  k: () => moveRow(-1),
}

/** Keys in a table of items. Enter on a link follows it, so the title is edited with F2. */
const cellShortcuts = {
  F2: (cell) => openEditor(cell),
  Enter: (cell, target) => target === cell && openEditor(cell),
  ArrowRight: (cell) => focusCell(nearbyCell(cell, { right: 1 })),
  ArrowLeft: (cell) => focusCell(nearbyCell(cell, { right: -1 })),
  ArrowDown: (cell) => focusCell(nearbyCell(cell, { down: 1 })),
  ArrowUp: (cell) => focusCell(nearbyCell(cell, { down: -1 })),
}

function focusOn(element) {
  element?.focus()
  return Boolean(element)
}

function followLink(link) {
  link?.click()
  return Boolean(link)
}

/** Moves the focus to the link of the next or previous row. */
function moveRow(step) {
  const links = [...document.querySelectorAll('.list tbody th a')]
  const at = links.indexOf(document.activeElement)
  return focusOn(links[at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)])
}
