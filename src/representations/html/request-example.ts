/** Requests to copy: the one that shows this page's data, and those of the documentation. */

import { html, type Safe } from './markup.ts'

export interface RequestExample {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: string
}

export function curl({ method, url, fields = {}, body }: RequestExample): string {
  const parts = ['curl']
  if (method !== 'GET') parts.push(`-X ${method}`)
  for (const [name, value] of Object.entries(fields))
    parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`-d ${quoted(body)}`)
  return [...parts, quoted(url)].join(' ')
}

export function httpie({ method, url, fields = {}, body }: RequestExample): string {
  const sent = body === undefined ? '' : `${quoted(body)} | `
  const named = Object.entries(fields).map(([name, value]) => quoted(`${name}:${value}`))
  return [`${sent && `printf %s ${sent}`}http`, method, quoted(url), ...named].join(' ')
}

export function javascript({ method, url, fields = {}, body }: RequestExample): string {
  const options = {
    ...(method === 'GET' ? {} : { method }),
    ...(Object.keys(fields).length > 0 ? { headers: fields } : {}),
    ...(body === undefined ? {} : { body }),
  }
  const second = Object.keys(options).length > 0 ? `, ${JSON.stringify(options, null, 2)}` : ''
  return `const response = await fetch(${JSON.stringify(url)}${second})\nconst data = await response.json()`
}

/** For a POSIX shell: nothing within single quotes means anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A piece of text to copy; the script adds the button. */
export function copyable(label: string, text: string): Safe {
  return html`<figure class="snippet"><figcaption>${label}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`
}
