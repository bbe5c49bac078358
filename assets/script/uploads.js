/** Files: dropping them on a form, and the progress of sending them. */

import { markUnsaved } from './drafts.js'
import { clearFaults, findField, showFaults } from './faults.js'
import { phrase } from './phrases.js'

/** Takes files that are dropped on the field of the input. */
export function acceptDrops(input) {
  const place = input.closest('.field') ?? input
  const show = (isOver) => place.classList.toggle('dropping', isOver)
  place.addEventListener('dragover', (event) => {
    event.preventDefault()
    show(true)
  })
  place.addEventListener('dragleave', () => show(false))
  place.addEventListener('drop', (event) => {
    event.preventDefault()
    show(false)
    const { files } = event.dataTransfer
    if (files.length === 0 || (files.length > 1 && !input.multiple)) return
    input.files = files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  })
}

/** Sends a form with chosen files by script, with a progress bar, and shows a refusal on this page. */
export function showProgress(form) {
  form.addEventListener('submit', (event) => {
    const hasFiles = [...form.querySelectorAll('input[type="file"]')].some(({ files }) => files.length > 0)
    if (!hasFiles) return
    event.preventDefault()
    if (form.querySelector('progress')) return
    clearFaults(form)
    const bar = document.createElement('progress')
    bar.setAttribute('aria-label', phrase('Upload'))
    form.append(bar)
    sendForm(form, bar)
  })
}

/** `fetch` does not tell how much of the content was sent. */
function sendForm(form, bar) {
  const request = new XMLHttpRequest()
  request.open('POST', form.getAttribute('action'))
  request.setRequestHeader('accept', 'application/json')
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.max = total
    bar.value = loaded
  })
  request.addEventListener('loadend', () => {
    bar.remove()
    if (request.status >= 200 && request.status < 300) {
      location.assign(request.getResponseHeader('location') ?? request.responseURL)
    } else showRefusal(form, request.responseText)
  })
  request.send(new FormData(form))
}

/** The text is that of a problem, or empty where the connection was lost. */
function showRefusal(form, text) {
  markUnsaved(form)
  const { errors = [], detail } = text.startsWith('{') ? JSON.parse(text) : {}
  const fields = errors.map(({ pointer }) => findField(form, pointer))
  if (errors.length > 0 && fields.every(Boolean)) {
    showFaults(form, errors, fields)
    return
  }
  const summary = document.createElement('div')
  summary.className = 'alert'
  summary.role = 'alert'
  summary.textContent = detail ?? phrase('Not sent. Check your connection, then try again.')
  form.prepend(summary)
}
