/** Times in the local time zone, and buttons that copy a snippet. */

import { pageLocale, phrase } from './phrases.js'

/** Shows a time in the local time zone; the tooltip keeps the exact value. */
export function showLocally(time) {
  const moment = new Date(time.dateTime)
  if (Number.isNaN(moment.getTime())) return
  time.title = time.dateTime
  const options = { dateStyle: 'medium', timeStyle: 'short' }
  time.textContent = new Intl.DateTimeFormat(pageLocale(), options).format(moment)
}

export function addCopyButton(snippet) {
  const code = snippet.querySelector('code')
  if (!code || !navigator.clipboard) return
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = phrase('Copy')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = phrase('Copied')
    setTimeout(() => {
      button.textContent = phrase('Copy')
    }, 2000)
  })
  snippet.append(button)
}
