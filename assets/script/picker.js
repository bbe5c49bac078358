/** Comboboxes that find the items of a reference by title (ARIA Authoring Practices, combobox with list). */

import { phrase } from './phrases.js'

/** Turns the search of a picker into a combobox. The select or the boxes in it keep the chosen values. */
export function enhancePicker(root) {
  const input = root.querySelector('input:not([type="hidden"], [type="checkbox"])')
  const boxes = root.querySelector('.boxes')
  const values = boxes ? boxValues(boxes, input) : selectValue(root, input)
  const list = createList(input)
  root.append(list)
  describeSearch(root.closest('.field'))
  const combobox = { root, input, list, values, searched: undefined, timer: undefined }
  input.addEventListener('input', () => {
    values.edit()
    clearTimeout(combobox.timer)
    combobox.timer = setTimeout(() => searchItems(combobox), 200)
  })
  input.addEventListener('keydown', (event) => useComboboxKey(combobox, event))
  input.addEventListener('blur', () => {
    clearTimeout(combobox.timer)
    closeOptions(combobox)
    values.leave()
  })
  // The input keeps the focus, so that a click does not close the list first.
  list.addEventListener('mousedown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => chooseOption(combobox, target.closest('[role="option"]')))
}

/** The help of a control in a form says how to search. */
function describeSearch(field) {
  for (const help of field?.querySelectorAll('.help') ?? []) {
    const text = phrase('Search by title, then choose from the list.')
    help.textContent = help.textContent.replace(phrase('The ID of the item.'), text)
  }
}

function createList(input) {
  const list = document.createElement('ul')
  list.id = `${input.id}-options`
  list.role = 'listbox'
  list.hidden = true
  list.setAttribute('aria-label', input.getAttribute('aria-label') ?? input.labels[0]?.textContent ?? '')
  input.type = 'text'
  input.role = 'combobox'
  input.autocomplete = 'off'
  input.spellcheck = false
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-expanded', 'false')
  input.setAttribute('aria-controls', list.id)
  return list
}

/** One value, in a hidden select; the input shows its title. A filter also takes the text that is typed. */
function selectValue(root, input) {
  const isFilter = root.dataset.name !== undefined
  const select = root.querySelector('select') ?? createSelect(root.dataset.name ?? input.name)
  const textName = isFilter ? input.name : ''
  if (!select.isConnected) root.prepend(select)
  select.hidden = true
  if (!isFilter && input.value !== '') {
    select.add(new Option(input.dataset.title ?? input.value, input.value, true, true))
  }
  const show = () => {
    const chosen = select.selectedOptions[0]
    if (select.value !== '') input.value = chosen.textContent
    else if (!isFilter) input.value = ''
    input.name = select.value === '' ? textName : ''
  }
  show()
  return {
    choose(id, title) {
      const known = [...select.options].find(({ value }) => value === id)
      if (!known) select.add(new Option(title, id))
      select.value = id
      show()
      announceChange(select)
    },
    /** Typing discards the present value of a filter; a form keeps it until another one is chosen. */
    edit() {
      if (!isFilter && input.value !== '') return
      select.value = ''
      input.name = textName
      announceChange(select)
    },
    leave: () => isFilter || show(),
  }
}

function createSelect(name) {
  const select = document.createElement('select')
  select.name = name
  select.add(new Option('', ''))
  return select
}

/** Several values, each a checked box. */
function boxValues(boxes, input) {
  const { name } = boxes.querySelector('input')
  input.name = ''
  return {
    choose(id, title) {
      const present = [...boxes.querySelectorAll('[type="checkbox"]')].find(({ value }) => value === id)
      const box = present ?? addBox(boxes, { name, id, title })
      box.checked = true
      input.value = ''
      announceChange(box)
    },
    edit() {},
    leave() {
      input.value = ''
    },
  }
}

function addBox(boxes, { name, id, title }) {
  const label = document.createElement('label')
  label.className = 'box'
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.name = name
  box.value = id
  label.append(box, ` ${title}`)
  boxes.append(label)
  return box
}

/** Other scripts may follow the changes of a form. */
function announceChange(control) {
  control.dispatchEvent(new Event('change', { bubbles: true }))
}

async function searchItems(combobox) {
  const { root, input, list } = combobox
  const text = input.value.trim()
  combobox.searched = text
  if (text === '') {
    closeOptions(combobox)
    return
  }
  const items = await findItems(root.dataset.picker, text)
  // A slower response to an earlier text, or one after the input was left.
  if (combobox.searched !== text || document.activeElement !== input) return
  list.replaceChildren(...items.map((item, at) => createOption(list, item, at)))
  if (items.length === 0) list.replaceChildren(createNote())
  list.hidden = false
  input.setAttribute('aria-expanded', 'true')
  activateOption(combobox, items.length > 0 ? 0 : -1)
}

/** The items that the service finds by the text, each with its title. */
async function findItems(picker, text) {
  const uri = `${picker}${encodeURIComponent(text)}`
  const response = await fetch(uri, { headers: { accept: 'application/json' } }).catch(() => undefined)
  return response?.ok ? response.json() : []
}

function createOption(list, { id, title }, at) {
  const option = document.createElement('li')
  option.id = `${list.id}-${at}`
  option.role = 'option'
  option.dataset.id = id
  option.textContent = title
  option.setAttribute('aria-selected', 'false')
  return option
}

function createNote() {
  const note = document.createElement('li')
  note.role = 'option'
  note.setAttribute('aria-disabled', 'true')
  note.textContent = phrase('Nothing found.')
  return note
}

function useComboboxKey(combobox, event) {
  const { list, input } = combobox
  const options = [...list.querySelectorAll('[data-id]')]
  const at = options.findIndex((one) => one.id === input.getAttribute('aria-activedescendant'))
  if (event.key === 'Escape' && !list.hidden) closeOptions(combobox)
  else if (event.key === 'ArrowDown' && list.hidden) searchItems(combobox)
  else if (event.key === 'ArrowDown') activateOption(combobox, (at + 1) % options.length)
  else if (event.key === 'ArrowUp' && !list.hidden) activateOption(combobox, (at || options.length) - 1)
  else if (event.key === 'Enter' && !list.hidden && options[at]) chooseOption(combobox, options[at])
  else return
  event.preventDefault()
  event.stopPropagation()
}

/** Marks the option that Enter chooses. */
function activateOption({ list, input }, at) {
  const options = [...list.querySelectorAll('[data-id]')]
  for (const [index, option] of options.entries()) option.setAttribute('aria-selected', String(index === at))
  const active = options[at]
  if (!active) {
    input.removeAttribute('aria-activedescendant')
    return
  }
  input.setAttribute('aria-activedescendant', active.id)
  active.scrollIntoView({ block: 'nearest' })
}

function chooseOption(combobox, option) {
  if (!option?.dataset.id) return
  combobox.values.choose(option.dataset.id, option.textContent)
  closeOptions(combobox)
}

function closeOptions({ list, input, timer }) {
  clearTimeout(timer)
  list.hidden = true
  input.setAttribute('aria-expanded', 'false')
  input.removeAttribute('aria-activedescendant')
}
