/** Suggestions of items by title for an input that takes an id. */

/** Suggests items by title in an input that takes an id. */
export function suggest(input) {
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
