/** Enhancements of the HTML pages. Every page works without them, and they are independent. */

for (const time of document.querySelectorAll('time[datetime*="T"]')) showLocally(time)
for (const snippet of document.querySelectorAll('.snippet')) addCopyButton(snippet)
for (const input of document.querySelectorAll('input[data-search]')) suggest(input)
for (const link of document.querySelectorAll('a[data-count]')) countInPlace(link)
for (const cell of document.querySelectorAll('thead .pick')) addSelectAll(cell)
for (const part of document.querySelectorAll('[data-live]')) keepCurrent(part)
for (const part of document.querySelectorAll('[data-changes]')) followChanges(part)
for (const form of document.querySelectorAll('form[data-validate]')) validateFirst(form)
for (const input of document.querySelectorAll('input[type="file"]')) acceptDrops(input)
for (const form of document.querySelectorAll('form[enctype="multipart/form-data"]')) showProgress(form)
for (const form of document.querySelectorAll('form[data-passkey-options]')) registerPasskey(form)
for (const form of document.querySelectorAll('form[data-passkey]')) usePasskey(form)
for (const input of document.querySelectorAll('.field [maxlength]:not([type="password"])'))
  countCharacters(input)

document.addEventListener('keydown', useShortcut)

/** Ctrl-K opens the palette; single keys act where nothing is being typed. */
function useShortcut(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
    event.preventDefault()
    openPalette()
    return
  }
  const isTyping = event.target.closest?.('input, select, textarea, dialog, [popover]')
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const action = shortcuts[event.key]
  if (action?.()) event.preventDefault()
}

/** Each returns whether the page has what it needs. */
const shortcuts = {
  '/': () => focusOn(document.querySelector('.search input[type="search"]')),
  n: () => followLink(document.querySelector('a#new')),
  e: () => followLink(document.querySelector('a#edit')),
  j: () => moveRow(1),
  k: () => moveRow(-1),
}

function focusOn(element) {
  element?.focus()
  return Boolean(element)
}

function followLink(link) {
  link?.click()
  return Boolean(link)
}

/** Moves the focus to the link of the next or previous row. */
function moveRow(step) {
  const links = [...document.querySelectorAll('.list tbody th a')]
  const at = links.indexOf(document.activeElement)
  return focusOn(links[at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)])
}

/** A dialog that finds a link of the menu or of the page by its text. */
function openPalette() {
  if (document.querySelector('dialog.palette')) return
  const found = document.querySelectorAll('.sidebar a, .account-menu a, main a.button')
  const links = [...found].map((link) => ({ text: link.textContent.trim(), href: link.href }))
  const dialog = document.createElement('dialog')
  dialog.className = 'palette'
  dialog.setAttribute('aria-label', 'Go to')
  const input = document.createElement('input')
  input.type = 'search'
  input.placeholder = 'Go to…'
  input.setAttribute('aria-label', 'Go to')
  const list = document.createElement('ul')
  dialog.append(input, list)
  const show = () => {
    const words = input.value.toLowerCase()
    const matching = links.filter(({ text }) => text.toLowerCase().includes(words))
    list.replaceChildren(...matching.map(paletteEntry))
  }
  input.addEventListener('input', show)
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click()
    if (event.key === 'ArrowDown') focusOn(list.querySelector('a'))
  })
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  show()
  dialog.showModal()
}

function paletteEntry({ text, href }) {
  const entry = document.createElement('li')
  const link = document.createElement('a')
  link.href = href
  link.textContent = text
  entry.append(link)
  return entry
}

/** Shows a time in the local time zone; the tooltip keeps the exact value. */
function showLocally(time) {
  const moment = new Date(time.dateTime)
  if (Number.isNaN(moment.getTime())) return
  time.title = time.dateTime
  const options = { dateStyle: 'medium', timeStyle: 'short' }
  time.textContent = new Intl.DateTimeFormat(undefined, options).format(moment)
}

function addCopyButton(snippet) {
  const code = snippet.querySelector('code')
  if (!code || !navigator.clipboard) return
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  snippet.append(button)
}

/** Suggests items by title in an input that takes an id. */
function suggest(input) {
  const { search, query, title } = input.dataset
  const list = document.createElement('datalist')
  list.id = `${input.id}-choices`
  input.after(list)
  input.setAttribute('list', list.id)
  let searched = ''
  let timer
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      const text = input.value.trim()
      if (text === '' || text === searched || isChosen(list, text)) return
      searched = text
      const items = await findItems(search, { [query]: text, limit: '10' })
      if (searched === text) list.replaceChildren(...items.map((item) => createOption(item, title)))
    }, 200)
  })
}

function isChosen(list, text) {
  return [...list.options].some((option) => option.value === text)
}

async function findItems(collection, parameters) {
  const uri = `${collection}?${new URLSearchParams(parameters)}`
  const response = await fetch(uri, { headers: { accept: 'application/json' } })
  return response.ok ? response.json() : []
}

function createOption(item, title) {
  const option = document.createElement('option')
  option.value = item.id
  option.label = String(item[title] ?? item.id)
  return option
}

/** Replaces the link by the number of items; without the script, the link loads a page with it. */
function countInPlace(link) {
  link.addEventListener('click', async (event) => {
    event.preventDefault()
    const headers = { accept: 'application/json', prefer: 'count=exact' }
    const response = await fetch(link.dataset.count, { method: 'HEAD', headers })
    const total = response.headers.get('total-count')
    if (!response.ok || total === null) {
      location.assign(link.href)
      return
    }
    const text = document.createElement('span')
    text.role = 'status'
    text.textContent = `${Number(total).toLocaleString()} in total`
    link.replaceWith(text)
  })
}

/** A box that selects all rows of the table. */
function addSelectAll(cell) {
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.setAttribute('aria-label', 'Select all')
  box.addEventListener('change', () => {
    for (const one of cell.closest('table').querySelectorAll('tbody .pick input')) one.checked = box.checked
  })
  cell.replaceChildren(box)
}

/** Reloads this part of the page periodically while the page is visible, until the part is not live any more. */
function keepCurrent(part) {
  const timer = setInterval(async () => {
    if (document.visibilityState !== 'visible') return
    const fresh = await reloadPart(part)
    if (fresh && fresh.dataset.live === undefined) clearInterval(timer)
  }, Number(part.dataset.live) * 1000)
}

/** Returns the new part; undefined where there is none. */
async function reloadPart(part) {
  // A selection would be lost.
  if (part.querySelector('.pick input:checked')) return undefined
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok) return undefined
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.getElementById(part.id)
  if (!fresh) return undefined
  part.replaceChildren(...fresh.childNodes)
  for (const cell of part.querySelectorAll('thead .pick')) addSelectAll(cell)
  for (const time of part.querySelectorAll('time[datetime*="T"]')) showLocally(time)
  return fresh
}

/** Reloads this part of the page when its items change. A hidden page holds no stream. */
function followChanges(part) {
  let stream
  let timer
  const reload = () => {
    clearTimeout(timer)
    timer = setTimeout(() => reloadPart(part), 200)
  }
  const follow = () => {
    if (document.visibilityState !== 'visible') {
      stream?.close()
      stream = undefined
    } else if (!stream) {
      stream = new EventSource(part.dataset.changes)
      // Changes before the stream began are found by reloading once it is open.
      for (const kind of ['open', 'created', 'updated', 'deleted', 'reset']) {
        stream.addEventListener(kind, reload)
      }
    }
  }
  document.addEventListener('visibilitychange', follow)
  follow()
}

/** Tries the form as a dry run before it is sent, and shows faults beside their inputs on this page. */
function validateFirst(form) {
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

function findField(form, pointer) {
  const [, name = ''] = pointer.split('/')
  return form.querySelector(`[name="${CSS.escape(name)}"]:not([type="hidden"])`)?.closest('.field')
}

function showFaults(form, faults, fields) {
  for (const [at, { detail }] of faults.entries()) showFault(fields[at], detail)
  const summary = document.createElement('div')
  summary.className = 'alert'
  summary.role = 'alert'
  summary.tabIndex = -1
  const list = document.createElement('ul')
  list.append(...faults.map(({ detail }, at) => summaryItem(fields[at], detail)))
  summary.append('Not saved. Correct these:', list)
  form.prepend(summary)
  summary.focus()
}

/** The fault, with a link to its input. */
function summaryItem(field, detail) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = `#${field.querySelector('[name][id]').id}`
  link.textContent = field.querySelector('label').firstChild.textContent
  item.append(link, `: ${detail}`)
  return item
}

/** Says how many characters are left. Longer texts are kept: a pasted text must not be cut. */
function countCharacters(input) {
  const limit = Number(input.getAttribute('maxlength'))
  input.removeAttribute('maxlength')
  const text = document.createElement('p')
  text.className = 'help'
  text.role = 'status'
  input.closest('.field').append(text)
  const count = () => {
    const left = limit - [...input.value].length
    const size = Math.abs(left).toLocaleString()
    input.setCustomValidity(left < 0 ? `Remove ${size} characters.` : '')
    text.textContent =
      left < 0 ? `${size} characters too many` : left < limit / 5 ? `${size} characters left` : ''
  }
  input.addEventListener('input', count)
  count()
}

/** The markup of a page that shows a refused form. */
function showFault(field, detail) {
  const shown = field.querySelector('.fault')
  if (shown) {
    shown.textContent += ` ${detail}`
    return
  }
  const input = field.querySelector('[name]')
  const text = document.createElement('p')
  text.className = 'fault'
  text.id = `${input.id}-fault`
  text.textContent = detail
  field.classList.add('faulty')
  field.append(text)
  input.setAttribute('aria-invalid', 'true')
  describeBy(input, [...describedBy(input), text.id])
}

function clearFaults(form) {
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

function describedBy(input) {
  return (input.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== '')
}

function describeBy(input, ids) {
  if (ids.length > 0) input.setAttribute('aria-describedby', ids.join(' '))
  else input.removeAttribute('aria-describedby')
}

/** Registers a passkey with the authenticator, and sends its response with the form. */
function registerPasskey(form) {
  sendPasskey(form, async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      JSON.parse(form.dataset.passkeyOptions),
    )
    return navigator.credentials.create({ publicKey })
  })
}

/** Asks the authenticator for a passkey, and signs in with its response. */
function usePasskey(form) {
  sendPasskey(form, async () => {
    const response = await fetch(form.dataset.passkey, { headers: { accept: 'application/json' } })
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await response.json())
    return navigator.credentials.get({ publicKey })
  })
}

/** Shows the button where the browser has passkeys. The person may cancel, and try again. */
function sendPasskey(form, obtain) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return
  const button = form.querySelector('button')
  button.hidden = false
  button.addEventListener('click', async (event) => {
    event.preventDefault()
    const passkey = await obtain().catch(() => undefined)
    if (!passkey) return
    form.elements.response.value = JSON.stringify(passkey)
    form.submit()
  })
}

/** Takes files that are dropped on the field of the input. */
function acceptDrops(input) {
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
function showProgress(form) {
  form.addEventListener('submit', (event) => {
    const hasFiles = [...form.querySelectorAll('input[type="file"]')].some(({ files }) => files.length > 0)
    if (!hasFiles) return
    event.preventDefault()
    if (form.querySelector('progress')) return
    clearFaults(form)
    const bar = document.createElement('progress')
    bar.setAttribute('aria-label', 'Upload')
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
  const { errors = [], detail } = text.startsWith('{') ? JSON.parse(text) : {}
  const fields = errors.map(({ pointer }) => findField(form, pointer))
  if (errors.length > 0 && fields.every(Boolean)) {
    showFaults(form, errors, fields)
    return
  }
  const summary = document.createElement('div')
  summary.className = 'alert'
  summary.role = 'alert'
  summary.textContent = detail ?? 'Not sent. Check your connection, then try again.'
  form.prepend(summary)
}
