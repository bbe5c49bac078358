/** Other pages of the service, read by scripts. */

import { phrase } from './phrases.js'

/** The page at the URI, and whether it is what was asked for rather than a problem. */
export async function loadPage(uri, options = {}) {
  const headers = { ...options.headers, accept: 'text/html' }
  const response = await fetch(uri, { ...options, headers }).catch(() => undefined)
  const { ok = false, status = 0 } = response ?? {}
  const page = new DOMParser().parseFromString((await response?.text()) ?? '', 'text/html')
  return { ok, status, page }
}

/** The words of a page that shows a problem. Faults at this field do not repeat its name. */
export function problemWords({ page, status }, field) {
  if (status === 0) return phrase('The service cannot be reached. Try again.')
  const faults = [...page.querySelectorAll('.problem > ul > li, .field > .fault')].map(({ textContent }) =>
    textContent.replace(`/${field}: `, ''),
  )
  if (faults.length > 0) return faults.join(' ')
  return page.querySelector('.problem .lead')?.textContent ?? page.title
}
