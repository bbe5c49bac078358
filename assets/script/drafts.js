/**
 * Drafts of forms: what a person has changed survives a closed tab in the storage of this browser, and is offered
 * again to the same account. Passwords and files are never stored. Leaving a changed form asks first.
 */

import { pageLocale, phrase } from './phrases.js'

const prefix = 'draft '
const sentName = 'sent-draft'
const sentForms = new WeakSet()

/** Offers the stored draft, keeps a new one, and asks before a changed form is left. */
export function keepDraft(form) {
  const key = prefix + location.pathname
  const owner = findOwner()
  const draft = readDraft(key)
  if (draft && draft.owner === owner && !isShown(form, draft)) offerDraft(form, draft, key)
  let timer
  const store = () => {
    clearTimeout(timer)
    const changes = changedControls(form)
    if (changes.length === 0) return
    const action = form.getAttribute('action')
    const originals = findOriginals(form)?.value
    writeDraft(key, { owner, at: new Date().toISOString(), action, originals, changes })
  }
  form.addEventListener('input', () => {
    sentForms.delete(form)
    clearTimeout(timer)
    timer = setTimeout(store, 300)
  })
  form.addEventListener('submit', () => {
    store()
    sentForms.add(form)
  })
  addEventListener('pagehide', () => {
    if (!form.isConnected) return
    if (changedControls(form).length > 0) store()
    if (wasSent(form)) sessionStorage.setItem(sentName, key)
  })
  addEventListener('beforeunload', (event) => {
    if (form.isConnected && !wasSent(form) && changedControls(form).length > 0) event.preventDefault()
  })
}

function wasSent(form) {
  return sentForms.has(form) && !isRefused(form)
}

function isRefused(form) {
  return form.querySelector(':scope > .alert') !== null
}

/** A sent form that led to another page was saved, so its draft is dropped. A refused one stays on its own. */
export function dropSavedDraft() {
  const key = sessionStorage.getItem(sentName)
  if (key === null) return
  sessionStorage.removeItem(sentName)
  if (key !== prefix + location.pathname) localStorage.removeItem(key)
}

/** Signing out drops all drafts. */
export function dropDraftsOnSubmit(form) {
  form.addEventListener('submit', () => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
  })
}

/** The account that is signed in; empty for others. */
function findOwner() {
  return document.querySelector('.account-menu a')?.getAttribute('href') ?? ''
}

/**
 * The controls that differ from the page as it was loaded, by name and place among those of the same name. A refused
 * form was loaded with what was sent, which is not saved.
 */
function changedControls(form) {
  const isChanged = (value, loaded) => isRefused(form) || value !== loaded
  return namedControls(form).flatMap(({ control, name, at }) => {
    const { value, checked, defaultChecked } = control
    if (isBox(control)) return isChanged(checked, defaultChecked) ? [{ name, at, checked }] : []
    return isChanged(value, initialValue(control)) ? [{ name, at, value }] : []
  })
}

/** Whether the form has the values of the draft, as a refused one has. */
function isShown(form, { changes }) {
  const controls = namedControls(form)
  return changes.every((change) => {
    const { control } = controls.find(({ name, at }) => name === change.name && at === change.at) ?? {}
    return change.value === undefined ? control?.checked === change.checked : control?.value === change.value
  })
}

function namedControls(form) {
  const counts = new Map()
  return [...form.querySelectorAll('input, select, textarea')].filter(isKept).map((control) => {
    const at = counts.get(control.name) ?? 0
    counts.set(control.name, at + 1)
    return { control, name: control.name, at }
  })
}

function isKept({ name, type }) {
  return name !== '' && !['password', 'file', 'hidden'].includes(type)
}

function isBox({ type }) {
  return type === 'checkbox' || type === 'radio'
}

function initialValue(control) {
  if (control.tagName !== 'SELECT') return control.defaultValue
  return ([...control.options].find((option) => option.defaultSelected) ?? control.options[0])?.value ?? ''
}

function offerDraft(form, draft, key) {
  const note = document.createElement('div')
  note.className = 'note draft'
  note.role = 'status'
  const time = new Intl.DateTimeFormat(pageLocale(), { dateStyle: 'medium', timeStyle: 'short' })
  const text = document.createElement('p')
  const saved = time.format(new Date(draft.at))
  text.textContent = phrase('You have changes from {1} that were not saved.', saved)
  note.append(
    text,
    draftButton(phrase('Restore them'), () => restoreDraft(form, draft)),
    draftButton(phrase('Discard them'), () => localStorage.removeItem(key)),
  )
  form.parentNode.insertBefore(note, form)
}

function draftButton(text, act) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = text
  button.addEventListener('click', () => {
    act()
    button.closest('.draft').remove()
  })
  return button
}

/**
 * The version that the changes were made to is restored too: the service then merges them with what others changed
 * since, or shows the conflict.
 */
function restoreDraft(form, { action, originals, changes }) {
  form.setAttribute('action', action)
  const input = findOriginals(form)
  if (input && originals !== undefined) input.value = originals
  const controls = namedControls(form)
  for (const { name, at, value, checked } of changes) {
    const control = controls.find((one) => one.name === name && one.at === at)?.control
    if (!control) continue
    if (value === undefined) control.checked = checked
    else control.value = value
    control.dispatchEvent(new Event('input', { bubbles: true }))
  }
  controls[0]?.control.focus()
}

/** The hidden input with the values that the form was loaded with. */
function findOriginals(form) {
  return form.querySelector('input[name="_originals"]')
}

function readDraft(key) {
  const text = localStorage.getItem(key)
  return text === null ? undefined : JSON.parse(text)
}

/** A full storage keeps no draft; the form itself is not affected. */
function writeDraft(key, draft) {
  try {
    localStorage.setItem(key, JSON.stringify(draft))
  } catch (error) {
    if (error.name !== 'QuotaExceededError') throw error
  }
}
