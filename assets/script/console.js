/** The console of /docs: sends an example, which can be changed first, and shows the response. */

import { phrase } from './phrases.js'

/** Adds the form to an example when it is opened. */
export function addConsole(example) {
  example.addEventListener('toggle', () => example.append(createConsole(example.dataset)), { once: true })
}

function createConsole({ method, target, body }) {
  const form = document.createElement('form')
  form.className = 'console'
  const address = labelled(phrase('Address'), createInput('input', target))
  const content =
    body === undefined ? undefined : labelled(phrase('Content'), createInput('textarea', indent(body)))
  const trial = method === 'GET' ? undefined : createTrial()
  const button = document.createElement('button')
  button.textContent = phrase('Send {1}', method)
  const output = document.createElement('pre')
  output.tabIndex = 0
  output.hidden = true
  output.setAttribute('role', 'status')
  form.append(...[address, content, trial, button, output].filter((part) => part !== undefined))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    const text = await send({
      method,
      address: address.querySelector('input').value,
      body: content?.querySelector('textarea').value,
      isTrial: trial?.querySelector('input').checked ?? false,
    })
    output.textContent = text
    output.hidden = false
    button.disabled = false
  })
  return form
}

function createInput(name, value) {
  const input = document.createElement(name)
  input.value = value
  input.required = true
  return input
}

function labelled(text, control) {
  const label = document.createElement('label')
  label.append(text, control)
  return label
}

/** Checked at first, so that nothing is written by mistake. */
function createTrial() {
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.checked = true
  const label = document.createElement('label')
  label.className = 'check'
  label.append(box, ` ${phrase('Dry run: nothing is written')}`)
  return label
}

function indent(body) {
  return JSON.stringify(JSON.parse(body), null, 2)
}

/** Returns the status, the header fields and the content as text. Only addresses of this service are requested. */
async function send({ method, address, body, isTrial }) {
  const uri = new URL(address, location.origin)
  if (uri.origin !== location.origin) return phrase('The address must be at {1}.', location.origin)
  if (isTrial) uri.searchParams.set('dry-run', 'true')
  const headers = {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  try {
    const response = await fetch(uri, { method, headers, body })
    const content = await response.text()
    const fields = ['content-type', 'etag', 'location', 'link', 'allow'].flatMap((name) => {
      const value = response.headers.get(name)
      return value === null ? [] : [`${name}: ${value}`]
    })
    return [`${response.status} ${response.statusText}`.trim(), ...fields, '', readable(content)]
      .join('\n')
      .trim()
  } catch {
    return phrase('The service cannot be reached. Try again.')
  }
}

function readable(content) {
  try {
    return indent(content)
  } catch {
    return content
  }
}
