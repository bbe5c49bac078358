/** Pages of the service, read by scripts and shown without leaving the present one. */

import { phrase } from './phrases.js'

/** The page at the URI, and whether it is what was asked for rather than a problem. */
export async function loadPage(uri) {
  const response = await fetch(uri, { headers: { accept: 'text/html' } }).catch(() => undefined)
  const { ok = false, status = 0 } = response ?? {}
  return { ok, status, page: parsePage((await response?.text()) ?? '') }
}

export function parsePage(text) {
  return new DOMParser().parseFromString(text, 'text/html')
}

/** The words of a page that shows a problem. */
export function problemWords({ page, status }) {
  if (status === 0) return phrase('The service cannot be reached. Try again.')
  const faults = [...page.querySelectorAll('.problem > ul > li')].map(({ textContent }) => textContent)
  if (faults.length > 0) return faults.join(' ')
  return page.querySelector('.problem .lead')?.textContent ?? page.title
}

/** Shows the content of another page in place of that of this one. */
export function showPage(page) {
  const main = document.adoptNode(page.getElementById('main'))
  document.title = page.title
  document.getElementById('main').replaceWith(main)
  announcePart(main)
  const alert = main.querySelector('[autofocus]') ?? main
  alert.focus()
}

/** Tells the other scripts that this part of the page is new. */
export function announcePart(part) {
  part.dispatchEvent(new Event('shown', { bubbles: true }))
}
