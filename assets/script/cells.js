/**
 * Editing a cell of a list in its place. The control comes from the form of the item, so the service decides what can be
 * changed, and how.
 */

import { sendForm, showMessage } from './forms.js'
import { focusOnCell, reloadRows } from './lists.js'
import { announcePart, loadPage, problemWords } from './pages.js'
import { phrase } from './phrases.js'

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
  edit.shown = [...edit.cell.childNodes]
  showEditor(edit, document.createElement('form'))
  // Escape also cancels while the control is loaded.
  edit.form.tabIndex = -1
  edit.form.focus()
  const id = edit.uri.slice(edit.uri.lastIndexOf('/') + 1)
  const loaded = await loadPage(`${edit.table.dataset.forms}/${id}`)
  if (!edit.form.isConnected || showControl(edit, loaded)) return
  const refusal = loaded.ok ? phrase('You cannot change this here.') : problemWords(loaded)
  edit.form.append(editorButton(phrase('Close'), () => closeEditor(edit)))
  showMessage(edit.form, refusal)
  focusOnControl(edit.form)
}

function showEditor(edit, form) {
  edit.form = form
  form.className = 'editor'
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    saveEdit(edit)
  })
  form.addEventListener('keydown', (event) => useEditorKey(edit, event))
  edit.cell.replaceChildren(form)
}

/**
 * Shows the form of the page with the control of the field alone: what a form does not send stays as it is. The page of
 * a refused form has the fault beside it, or the choice after a conflict. Returns whether the page has the control.
 */
function showControl(edit, { page }) {
  const name = `[name="${CSS.escape(edit.column.field)}"]:not([type="hidden"])`
  const control = page.querySelector(`form.form ${name}`)
  const part = control?.closest('.conflict') ?? control?.closest('.field')
  if (!part) return false
  const whole = control.form
  const form = document.importNode(whole, false)
  for (const one of part.querySelectorAll('.field > label, .help')) one.classList.add('away')
  for (const fault of part.querySelectorAll('.fault')) fault.role = 'alert'
  const save = editorButton(phrase('Save'))
  save.type = 'submit'
  save.className = 'main'
  form.append(
    ...whole.querySelectorAll(':scope > input[name^="_"]'),
    part,
    save,
    editorButton(phrase('Cancel'), () => closeEditor(edit)),
  )
  for (const area of form.querySelectorAll('textarea')) area.rows = 3
  form.noValidate = !part.matches('.conflict')
  showEditor(edit, form)
  announcePart(form)
  focusOnControl(form)
  return true
}

function editorButton(text, act) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = text
  if (act) button.addEventListener('click', act)
  return button
}

function focusOnControl(form) {
  const control = form.querySelector(
    'input:not([hidden], [type="hidden"]), select:not([hidden]), textarea, button',
  )
  control?.focus()
  if (control?.tagName === 'INPUT') control.select()
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

async function saveEdit(edit) {
  const answer = await sendForm(edit.form)
  if (answer?.ok) await closeEditor(edit)
  else if (answer && !showControl(edit, answer)) showMessage(edit.form, problemWords(answer))
}

/** Shows the cell again, with the present values of its list. */
async function closeEditor({ cell, table, shown, uri }) {
  cell.replaceChildren(...shown)
  focusOnCell(table, { uri, column: cell.cellIndex })
  announce((await reloadRows(table)) ?? '')
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
