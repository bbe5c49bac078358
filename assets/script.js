/** Enhancements of the HTML pages. Every page works without them, and they are independent. */

for (const time of document.querySelectorAll('time[datetime*="T"]')) showLocally(time)
for (const snippet of document.querySelectorAll('.snippet')) addCopyButton(snippet)
for (const input of document.querySelectorAll('input[data-search]')) suggest(input)
for (const link of document.querySelectorAll('a[data-count]')) countInPlace(link)
for (const part of document.querySelectorAll('[data-live]')) keepCurrent(part)
for (const part of document.querySelectorAll('[data-changes]')) followChanges(part)

/** Shows a time in the local time zone; the tooltip keeps the exact value. */
function showLocally(time) {
  const moment = new Date(time.dateTime)
  if (Number.isNaN(moment.getTime())) return
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
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok) return undefined
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.getElementById(part.id)
  if (!fresh) return undefined
  part.replaceChildren(...fresh.childNodes)
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
