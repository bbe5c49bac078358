/** A panel beside a list that shows one of its items. */

import { focusOnCell } from './lists.js'
import { loadPage, problemWords } from './pages.js'
import { phrase } from './phrases.js'
import { showLocally } from './times.js'

/** Opens the panel for the item of the row. Escape closes it and returns to the row; j and k show the next and previous one. */
export function openPeek(row) {
  if (document.querySelector('dialog.peek-panel')) return
  const dialog = document.createElement('dialog')
  dialog.className = 'drawer peek-panel'
  dialog.closedBy = 'any'
  const peek = { dialog, part: row.closest('[id]'), uri: undefined }
  dialog.addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey }) => {
    if (ctrlKey || metaKey || altKey) return
    if (key === 'j') movePeek(peek, 1)
    else if (key === 'k') movePeek(peek, -1)
  })
  dialog.addEventListener('close', () => {
    dialog.remove()
    focusOnCell(tableOf(peek), { uri: peek.uri })
  })
  document.body.append(dialog)
  dialog.showModal()
  showItem(peek, row)
}

function movePeek(peek, step) {
  const rows = [...(tableOf(peek)?.tBodies[0].rows ?? [])]
  const at = rows.findIndex((row) => linkOf(row)?.pathname === peek.uri)
  const row = rows[at + step]
  if (at >= 0 && row) showItem(peek, row)
}

/** The table as it is now: changes of its items replace it. */
function tableOf({ part }) {
  return part.querySelector('.list')
}

function linkOf(row) {
  return row.querySelector('th a')
}

async function showItem(peek, row) {
  const { dialog } = peek
  const link = linkOf(row)
  peek.uri = link.pathname
  const title = document.createElement('h2')
  title.textContent = link.textContent
  dialog.setAttribute('aria-label', link.textContent)
  dialog.setAttribute('aria-busy', 'true')
  const close = document.createElement('button')
  close.textContent = phrase('Close')
  close.addEventListener('click', () => dialog.close())
  const buttons = document.createElement('p')
  buttons.className = 'ways'
  buttons.append(panelLink(link.href, phrase('Open the page')), close)
  dialog.replaceChildren(title, buttons)
  close.focus()
  const loaded = await loadPage(link.href)
  // A slower response to an earlier row.
  if (peek.uri !== link.pathname) return
  dialog.removeAttribute('aria-busy')
  const edit = loaded.page.getElementById('edit')
  if (edit) close.before(panelLink(edit.getAttribute('href'), edit.textContent))
  dialog.append(contentOf(loaded))
}

function panelLink(href, text) {
  const link = document.createElement('a')
  link.className = 'button plain'
  link.href = href
  link.textContent = text
  return link
}

/** The fields of the item, or why they cannot be shown. */
function contentOf(loaded) {
  const fields = loaded.ok && loaded.page.querySelector('main dl.fields')
  if (fields) {
    for (const time of fields.querySelectorAll('time[datetime*="T"]')) showLocally(time)
    return fields
  }
  const message = document.createElement('p')
  message.className = 'alert'
  message.role = 'alert'
  message.textContent = problemWords(loaded)
  return message
}
