/** Counting and selecting the items of a list. */

import { pageLocale, phrase } from './phrases.js'

/** Replaces the link by the number of items; without the script, the link loads a page with it. */
export function countInPlace(link) {
  link.addEventListener('click', async (event) => {
    event.preventDefault()
    const headers = { accept: 'application/json', prefer: 'count=exact' }
    const response = await fetch(link.dataset.count, { method: 'HEAD', headers })
    const total = response.headers.get('total-count')
    if (!response.ok || total === null) {
      location.assign(link.href)
      return
    }
    const text = document.createElement('span')
    text.role = 'status'
    text.textContent = phrase('{1} in total', Number(total).toLocaleString(pageLocale()))
    link.replaceWith(text)
  })
}

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
