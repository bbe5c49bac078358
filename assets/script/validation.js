/** Forms that the service judges before they are sent. */

import { clearFaults, findField, showFaults } from './faults.js'
import { pageLocale, phrase } from './phrases.js'

/** Tries the form as a dry run before it is sent, and shows faults beside their inputs on this page. */
export function validateFirst(form) {
  let isWaiting = false
  // The service names all faults at once; the browser would show one.
  form.noValidate = true
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isWaiting) return
    isWaiting = true
    const faults = await findFaults(form)
    isWaiting = false
    clearFaults(form)
    const fields = faults.map(({ pointer }) => findField(form, pointer))
    if (faults.length > 0 && fields.every(Boolean)) showFaults(form, faults, fields)
    // An input may have the name of a method of the form.
    else HTMLFormElement.prototype.submit.call(form)
  })
}

/** Any other problem is shown by the page that the form itself leads to. */
async function findFaults(form) {
  const uri = new URL(form.getAttribute('action'), location.href)
  uri.searchParams.set('dry-run', 'true')
  const body = new URLSearchParams(new FormData(form))
  const headers = { accept: 'application/json' }
  const response = await fetch(uri, { method: 'POST', headers, body }).catch(() => undefined)
  if (response?.status !== 422 && response?.status !== 409) return []
  return (await response.json()).errors ?? []
}

/** Says how many characters are left. Longer texts are kept: a pasted text must not be cut. */
export function countCharacters(input) {
  const limit = Number(input.getAttribute('maxlength'))
  input.removeAttribute('maxlength')
  const text = document.createElement('p')
  text.className = 'help'
  text.role = 'status'
  input.closest('.field').append(text)
  const count = () => {
    const left = limit - [...input.value].length
    const size = Math.abs(left).toLocaleString(pageLocale())
    input.setCustomValidity(left < 0 ? phrase('Remove {1} characters.', size) : '')
    text.textContent =
      left < 0
        ? phrase('{1} characters too many', size)
        : left < limit / 5
          ? phrase('{1} characters left', size)
          : ''
  }
  input.addEventListener('input', count)
  count()
}
