/** What pages do better with a script. Everything works without it, so each part stands alone. */

for (const time of document.querySelectorAll('time[datetime*="T"]')) showLocally(time)
for (const snippet of document.querySelectorAll('.snippet')) addCopyButton(snippet)
for (const input of document.querySelectorAll('input[data-search]')) suggest(input)
for (const link of document.querySelectorAll('a[data-count]')) countInPlace(link)
for (const part of document.querySelectorAll('[data-live]')) keepCurrent(part)

/** The reader's own time; the exact one stays in the tooltip. */
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

/** Offers items by their title while their id is wanted, by the same list that anyone may ask. */
function suggest(input) {
  const { search, query, title } = input.dataset
  const list = document.createElement('datalist')
  list.id = `${input.id}-choices`
  input.after(list)
  input.setAttribute('list', list.id)
  let asked = ''
  let waiting
  input.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(async () => {
      const text = input.value.trim()
      if (text === '' || text === asked || isChosen(list, text)) return
      asked = text
      const found = await findItems(search, { [query]: text, limit: '10' })
      if (asked === text) list.replaceChildren(...found.map((item) => optionOf(item, title)))
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

function optionOf(item, title) {
  const option = document.createElement('option')
  option.value = item.id
  option.label = String(item[title] ?? item.id)
  return option
}

/** The number where the question stood; the link itself leads to a page that says it too. */
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
    text.textContent = `${Number(total).toLocaleString()} in all`
    link.replaceWith(text)
  })
}

/** Asks for the same page again and takes this part of it, while someone looks at it. */
function keepCurrent(part) {
  setInterval(async () => {
    if (document.visibilityState !== 'visible') return
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!response.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const fresh = page.getElementById(part.id)
    if (fresh) part.replaceChildren(...fresh.childNodes)
  }, Number(part.dataset.live) * 1000)
}
