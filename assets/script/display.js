/** Buttons that copy a snippet. */

import { phrase } from './phrases.js'

export function addCopyButton(snippet) {
  const code = snippet.querySelector('code')
  if (!code || !navigator.clipboard) return
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = phrase('Copy')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = phrase('Copied')
    setTimeout(() => {
      button.textContent = phrase('Copy')
    }, 2000)
  })
  snippet.append(button)
}
