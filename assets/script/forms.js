/** Sending forms and showing the answer. The service judges what is sent, in the language of the page. */

import { parsePage, problemWords, showPage } from './pages.js'
import { pageLocale, phrase } from './phrases.js'

/** Sends the form by script. A refused form is shown in the place of this one; a success leads to its page. */
export function sendInPlace(form) {
  // The service names all faults at once; the browser would show one. A choice between two values must be made.
  form.noValidate = !form.querySelector('.conflict')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const answer = await sendForm(form)
    if (answer) showAnswer(form, answer)
  })
}

/** Resolves with the answer; with nothing while an earlier one is awaited. `fetch` does not tell how much was sent. */
export async function sendForm(form) {
  if (form.ariaBusy === 'true') return undefined
  form.ariaBusy = 'true'
  const request = new XMLHttpRequest()
  const uri = new URL(form.getAttribute('action'), location.href).href
  request.open('POST', uri)
  request.setRequestHeader('accept', 'text/html')
  // Without it, the answer is a redirect, which would show its notice to the script.
  request.setRequestHeader('prefer', 'return=minimal')
  const bar = showProgress(form, request)
  const values = new FormData(form)
  const end = Promise.withResolvers()
  request.addEventListener('loadend', end.resolve)
  request.send(form.enctype === 'multipart/form-data' ? values : new URLSearchParams(values))
  await end.promise
  bar?.remove()
  form.ariaBusy = null
  form.querySelector(':scope > .alert')?.remove()
  const { status, responseText, responseURL } = request
  const ok = status >= 200 && status < 300
  // The page of a new token, with its secret, has a Location too.
  const next =
    status === 204 ? request.getResponseHeader('location') : ok && responseURL !== uri && responseURL
  return { ok, status, page: parsePage(responseText), next }
}

/** A bar with the progress of chosen files. */
function showProgress(form, { upload }) {
  if (![...form.querySelectorAll('input[type="file"]')].some(({ files }) => files.length > 0))
    return undefined
  const bar = document.createElement('progress')
  bar.setAttribute('aria-label', phrase('Upload'))
  form.append(bar)
  upload.addEventListener('progress', ({ loaded, total }) => {
    bar.max = total
    bar.value = loaded
  })
  return bar
}

function showAnswer(form, answer) {
  const { ok, page, next } = answer
  if (next) location.assign(next)
  else if (ok || page.querySelector('#main form.form, #main > .alert')) showAnsweredPage(form, page)
  else showMessage(form, problemWords(answer))
}

/** The service does not send back files, which stay chosen. */
function showAnsweredPage(form, page) {
  const chosen = [...form.querySelectorAll('input[type="file"]')]
  showPage(page)
  for (const { name, files } of chosen) {
    const input = document.querySelector(`#main input[type="file"][name="${CSS.escape(name)}"]`)
    if (input) input.files = files
  }
}

/** Says above the controls what went wrong. They keep their values. */
export function showMessage(form, text) {
  const message = document.createElement('div')
  message.className = 'alert'
  message.role = 'alert'
  message.textContent = text
  form.prepend(message)
}

/** Asks before the page of a form with changes that are not saved is left. */
export function askBeforeLeaving(form) {
  let isChanged = false
  for (const kind of ['input', 'change']) form.addEventListener(kind, () => (isChanged = true))
  form.addEventListener('submit', () => (isChanged = false))
  addEventListener('beforeunload', (event) => {
    const isRefused = form.querySelector(':scope > .alert') !== null
    if (form.isConnected && (isChanged || isRefused)) event.preventDefault()
  })
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
