/** Keyboard shortcuts, and the palette that finds a page by its name. */

import { openEditor } from './cells.js'
import { focusCell, nearbyCell } from './lists.js'
import { openPeek } from './peek.js'
import { phrase } from './phrases.js'

/** Ctrl-K opens the palette; single keys act where nothing is being typed. */
export function useShortcut(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
    event.preventDefault()
    openPalette()
    return
  }
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
  ' ': (cell) => peekAt(cell),
  ArrowRight: (cell) => focusCell(nearbyCell(cell, { right: 1 })),
  ArrowLeft: (cell) => focusCell(nearbyCell(cell, { right: -1 })),
  ArrowDown: (cell) => focusCell(nearbyCell(cell, { down: 1 })),
  ArrowUp: (cell) => focusCell(nearbyCell(cell, { down: -1 })),
}

function peekAt(cell) {
  const row = cell.parentNode
  if (!row.querySelector('th a')) return false
  openPeek(row)
  return true
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

/** A dialog that finds a link of the menu or of the page by its text. */
function openPalette() {
  if (document.querySelector('dialog.palette')) return
  const found = document.querySelectorAll('.sidebar a, .account-menu a, main a.button')
  const links = [...found].map((link) => ({ text: link.textContent.trim(), href: link.href }))
  const dialog = document.createElement('dialog')
  dialog.className = 'palette'
  dialog.setAttribute('aria-label', phrase('Go to'))
  const input = document.createElement('input')
  input.type = 'search'
  input.placeholder = phrase('Go to…')
  input.setAttribute('aria-label', phrase('Go to'))
  const list = document.createElement('ul')
  dialog.append(input, list)
  const show = () => {
    const words = input.value.toLowerCase()
    const matching = links.filter(({ text }) => text.toLowerCase().includes(words))
    list.replaceChildren(...matching.map(paletteEntry))
  }
  input.addEventListener('input', show)
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click()
    if (event.key === 'ArrowDown') focusOn(list.querySelector('a'))
  })
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  show()
  dialog.showModal()
}

function paletteEntry({ text, href }) {
  const entry = document.createElement('li')
  const link = document.createElement('a')
  link.href = href
  link.textContent = text
  entry.append(link)
  return entry
}
