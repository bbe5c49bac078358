/**
 * Named views of a list: its filters, order and columns. A view is a query of the list's own URI, kept in this browser for
 * the account that saved it.
 */

import { findOwner } from './drafts.js'
import { phrase } from './phrases.js'

const maxNameLength = 60

/** Adds a panel with the views to the toolbar of a list. */
export function offerViews(tools) {
  const key = `views ${findOwner()} ${location.pathname}`
  const button = document.createElement('button')
  button.type = 'button'
  const panel = createPanel(phrase('Views'))
  button.setAttribute('popovertarget', panel.id)
  const list = document.createElement('ul')
  list.className = 'views'
  const show = () => {
    const views = readViews(key)
    button.textContent = views.length > 0 ? `${phrase('Views')} (${views.length})` : phrase('Views')
    list.replaceChildren(...views.map((view) => viewEntry(view, () => storeViews(removed(key, view.name)))))
  }
  const storeViews = (views) => {
    localStorage.setItem(key, JSON.stringify(views))
    show()
  }
  panel.append(
    list,
    createSaveForm((name) => storeViews([...removed(key, name), { name, query: currentQuery() }])),
  )
  show()
  // Another tab may have changed them.
  panel.addEventListener('toggle', show)
  const last = tools.querySelector('#import')
  if (last) last.before(button, panel)
  else tools.append(button, panel)
}

function createPanel(title) {
  const panel = document.createElement('div')
  panel.id = 'views-panel'
  panel.className = 'drawer'
  panel.popover = 'auto'
  panel.role = 'group'
  panel.setAttribute('aria-label', title)
  const heading = document.createElement('h2')
  heading.textContent = title
  panel.append(heading)
  return panel
}

/** In the order of their names. */
function readViews(key) {
  const views = JSON.parse(localStorage.getItem(key) ?? '[]')
  return views.sort((one, other) => one.name.localeCompare(other.name))
}

function removed(key, name) {
  return readViews(key).filter((view) => view.name !== name)
}

/** The query of this list from its first page. */
function currentQuery() {
  const query = new URLSearchParams(location.search)
  for (const name of ['after', 'before', 'format']) query.delete(name)
  return query.toString()
}

function viewEntry({ name, query }, remove) {
  const entry = document.createElement('li')
  const link = document.createElement('a')
  link.href = query === '' ? location.pathname : `?${query}`
  link.textContent = name
  if (query === currentQuery()) link.setAttribute('aria-current', 'page')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = '×'
  button.setAttribute('aria-label', phrase('Remove the view “{1}”', name))
  button.addEventListener('click', () => {
    const panel = entry.closest('.drawer')
    remove()
    panel.querySelector('a, input').focus()
  })
  entry.append(link, button)
  return entry
}

function createSaveForm(save) {
  const form = document.createElement('form')
  const label = document.createElement('label')
  label.textContent = phrase('Save this view as')
  label.htmlFor = 'view-name'
  const input = document.createElement('input')
  input.id = 'view-name'
  input.required = true
  input.maxLength = maxNameLength
  input.autocomplete = 'off'
  const button = document.createElement('button')
  button.className = 'main'
  button.textContent = phrase('Save')
  const field = document.createElement('div')
  field.className = 'field'
  const note = document.createElement('p')
  note.className = 'help'
  note.role = 'status'
  note.textContent = phrase('Its filters, order and columns are kept in this browser.')
  field.append(label, input, note)
  form.append(field, button)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const name = input.value.trim()
    if (name === '') return
    note.textContent = trySaving(() => save(name))
      ? phrase('Saved as “{1}”.', name)
      : phrase('Not saved: the storage of this browser is full.')
    input.value = ''
  })
  return form
}

function trySaving(save) {
  try {
    save()
    return true
  } catch (error) {
    if (error.name !== 'QuotaExceededError') throw error
    return false
  }
}
