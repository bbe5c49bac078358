/** The faults of a form, shown beside their inputs and in a summary, as on the page of a refused form. */

import { markUnsaved } from './drafts.js'
import { phrase } from './phrases.js'

export function showFaults(form, faults, fields) {
  markUnsaved(form)
  for (const [at, { detail }] of faults.entries()) showFault(fields[at], detail)
  const summary = document.createElement('div')
  summary.className = 'alert'
  summary.role = 'alert'
  summary.tabIndex = -1
  const list = document.createElement('ul')
  list.append(...faults.map(({ detail }, at) => summaryItem(fields[at], detail)))
  summary.append(phrase('Not saved. Correct these:'), list)
  form.prepend(summary)
  summary.focus()
}

/** The fault, with a link to its input. */
function summaryItem(field, detail) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = `#${field.querySelector('label').htmlFor}`
  link.textContent = field.querySelector('label').firstChild.textContent
  item.append(link, `: ${detail}`)
  return item
}

/** The markup of a page that shows a refused form. */
function showFault(field, detail) {
  const shown = field.querySelector('.fault')
  if (shown) {
    shown.textContent += ` ${detail}`
    return
  }
  const input = field.querySelector(`#${CSS.escape(field.querySelector('label').htmlFor)}`)
  const text = document.createElement('p')
  text.className = 'fault'
  text.id = `${input.id}-fault`
  text.textContent = detail
  field.classList.add('faulty')
  field.append(text)
  input.setAttribute('aria-invalid', 'true')
  describeBy(input, [...describedBy(input), text.id])
}

export function clearFaults(form) {
  const ids = [...form.querySelectorAll('.fault')].map(({ id }) => id)
  for (const part of form.querySelectorAll('.fault, .alert')) part.remove()
  for (const field of form.querySelectorAll('.faulty')) field.classList.remove('faulty')
  for (const input of form.querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid')
    describeBy(
      input,
      describedBy(input).filter((id) => !ids.includes(id)),
    )
  }
}

export function findField(form, pointer) {
  const [, name = ''] = pointer.split('/')
  return form.querySelector(`[name="${CSS.escape(name)}"]:not([type="hidden"])`)?.closest('.field')
}

function describedBy(input) {
  return (input.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== '')
}

function describeBy(input, ids) {
  if (ids.length > 0) input.setAttribute('aria-describedby', ids.join(' '))
  else input.removeAttribute('aria-describedby')
}
