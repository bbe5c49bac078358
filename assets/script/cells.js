/**
 * Editing a cell of a list in its place. The control comes from the form of the item, so the service decides what can be
 * changed, and how.
 */

import { focusOnCell, reloadRows } from './lists.js'
import { loadPage, problemWords } from './pages.js'
import { phrase } from './phrases.js'
import { enhancePicker } from './picker.js'
import { showSwitch } from './switches.js'
import { editLocally } from './times.js'
import { countCharacters } from './validation.js'

/** Links in cells keep their meaning: a double click beside them opens the editor. */
export function editOnDoubleClick({ target }) {
  const cell = target.closest('.list tbody :is(td, th)')
  if (cell && !target.closest('a, button, input, summary, .editor')) openEditor(cell)
}

/** Opens the editor; returns whether the caller may change fields of this column. */
export function openEditor(cell) {
  const table = cell.closest('table')
  const column = table.tHead.rows[0].cells[cell.cellIndex].dataset
  const link = cell.parentNode.querySelector('th a')
  if (column.field === undefined || !link) return false
  const open = document.querySelector('.editor')
  if (open) focusOnControl(open)
  else startEditing({ cell, table, column, uri: link.pathname })
  return true
}

async function startEditing(edit) {
  edit.form = document.createElement('form')
  edit.form.className = 'editor'
  edit.form.noValidate = true
  edit.shown = [...edit.cell.childNodes]
  edit.cell.replaceChildren(edit.form)
  edit.form.addEventListener('submit', (event) => {
    event.preventDefault()
    saveEdit(edit)
  })
  edit.form.addEventListener('keydown', (event) => useEditorKey(edit, event))
  // Escape also cancels while the control is loaded.
  edit.form.tabIndex = -1
  edit.form.focus()
  const found = await loadControl(edit)
  if (!edit.form.isConnected) return
  if (found.refusal === undefined) showControl(edit, found)
  else showMessage(edit, found.refusal, [editorButton(phrase('Close'), () => closeEditor(edit))])
}

/** The control of the field with its present value, and the entity tag of the item that has it. */
async function loadControl({ table, column, uri }) {
  const id = uri.slice(uri.lastIndexOf('/') + 1)
  const loaded = await loadPage(`${table.dataset.forms}/${id}`)
  if (!loaded.ok) return { refusal: problemWords(loaded) }
  const name = `[name="${CSS.escape(column.field)}"]:not([type="hidden"])`
  const field = loaded.page.querySelector(`form.form ${name}`)?.closest('.field')
  if (!field) return { refusal: phrase('You cannot change this here.') }
  const form = field.closest('form')
  const action = new URL(form.getAttribute('action'), location.href)
  const decimal = form.elements.namedItem('_decimal')?.value
  return { field, decimal, tag: action.searchParams.get('match') }
}

function showControl(edit, { field, decimal, tag }) {
  for (const part of field.querySelectorAll('label, .help')) part.classList.add('away')
  const save = editorButton(phrase('Save'))
  save.type = 'submit'
  save.className = 'main'
  edit.form.replaceChildren(
    field,
    save,
    editorButton(phrase('Cancel'), () => closeEditor(edit)),
  )
  edit.tag = tag
  edit.decimal = decimal
  for (const root of edit.form.querySelectorAll('[data-picker]')) enhancePicker(root)
  for (const select of edit.form.querySelectorAll('select[data-switch]')) showSwitch(select)
  for (const area of edit.form.querySelectorAll('textarea')) area.rows = 3
  for (const input of edit.form.querySelectorAll('[maxlength]')) countCharacters(input)
  for (const input of edit.form.querySelectorAll('[type="datetime-local"]')) editLocally(input)
  edit.before = readValue(edit)
  focusOnControl(edit.form)
}

function editorButton(text, act) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = text
  if (act) button.addEventListener('click', act)
  return button
}

function focusOnControl(form) {
  const control = form.querySelector('input:not([hidden]), select:not([hidden]), textarea, button')
  control?.focus()
  if (control?.tagName === 'INPUT') control.select()
}

/** Shows what went wrong below the control, which keeps its value. */
function showMessage({ form }, text, others = []) {
  form.querySelector('.fault')?.remove()
  const message = document.createElement('p')
  message.className = 'fault'
  message.role = 'alert'
  message.textContent = text
  form.append(message, ...others)
  focusOnControl(form)
}

/** Enter in a select does not send a form by itself; in a text of several lines it is a line break. */
function useEditorKey(edit, event) {
  if (event.key === 'Escape') closeEditor(edit)
  else if (event.key === 'Enter' && isSent(event)) edit.form.requestSubmit()
  else return
  event.preventDefault()
  event.stopPropagation()
}

function isSent({ target, ctrlKey, metaKey }) {
  return target.tagName === 'TEXTAREA' ? ctrlKey || metaKey : target.tagName !== 'BUTTON'
}

/** The value of the control as its form sends it. */
function readValue({ form, column: { field } }) {
  return String(new FormData(form).get(field) ?? '')
}

async function saveEdit(edit) {
  if (edit.tag === undefined || edit.isWaiting) return
  const value = readValue(edit)
  if (value === edit.before) {
    closeEditor(edit)
    return
  }
  edit.isWaiting = true
  const result = await sendEdit(edit, value)
  edit.isWaiting = false
  if (result.ok) closeEditor(edit, phrase('Saved.'))
  else if (result.status === 412) await meetConflict(edit)
  else showMessage(edit, problemWords(result, edit.column.field))
}

/** Sent as a form, so that the service reads the value as it does from the form of the item. */
function sendEdit({ uri, tag, column, decimal }, value) {
  const headers = { 'if-match': tag, prefer: 'return=minimal' }
  const body = new URLSearchParams({ [column.field]: value, ...(decimal ? { _decimal: decimal } : {}) })
  return loadPage(uri, { method: 'PATCH', headers, body })
}

/** The item changed. Where its field did not, the edit is sent again; otherwise the person decides. */
async function meetConflict(edit) {
  const found = await loadControl(edit)
  if (found.refusal !== undefined) {
    showMessage(edit, found.refusal)
    return
  }
  const form = document.createElement('form')
  form.append(found.field)
  const now = readValue({ ...edit, form })
  const isSame = now === edit.before
  edit.tag = found.tag
  edit.before = now
  if (isSame) await saveEdit(edit)
  else showMessage(edit, conflictWords(form, edit.column))
}

function conflictWords(form, { field }) {
  const control = form.elements.namedItem(field)
  const text = control.selectedOptions?.[0]?.textContent ?? control.value
  return phrase('This was changed to “{1}” in the meantime. Save again to replace it.', text)
}

/** Shows the cell again, with the present values of its list. */
async function closeEditor({ cell, table, shown, uri }, notice = '') {
  cell.replaceChildren(...shown)
  focusOnCell(table, { uri, column: cell.cellIndex })
  await reloadRows(table)
  announce(notice)
}

function announce(text) {
  let region = document.getElementById('announcement')
  if (!region) {
    region = document.createElement('p')
    region.id = 'announcement'
    region.className = 'away'
    region.role = 'status'
    document.querySelector('main').append(region)
  }
  region.textContent = text
}
