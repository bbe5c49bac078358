/** Example requests to copy, for curl, HTTPie and JavaScript. */

import { html, type Markup } from './markup.ts'

export interface RequestExample {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: string
}

export function formatCurl({ method, url, fields = {}, body }: RequestExample): string {
  const parts = ['curl']
  if (method !== 'GET') parts.push(`-X ${method}`)
  for (const [name, value] of Object.entries(fields)) parts.push(`-H ${quoteForShell(`${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`-d ${quoteForShell(body)}`)
  return [...parts, quoteForShell(url)].join(' ')
}

export function formatHttpie({ method, url, fields = {}, body }: RequestExample): string {
  const sent = body === undefined ? '' : `${quoteForShell(body)} | `
  const named = Object.entries(fields).map(([name, value]) => quoteForShell(`${name}:${value}`))
  return [`${sent && `printf %s ${sent}`}http`, method, quoteForShell(url), ...named].join(' ')
}

export function formatJavaScript({ method, url, fields = {}, body }: RequestExample): string {
  const options = {
    ...(method === 'GET' ? {} : { method }),
    ...(Object.keys(fields).length > 0 ? { headers: fields } : {}),
    ...(body === undefined ? {} : { body }),
  }
  const second = Object.keys(options).length > 0 ? `, ${JSON.stringify(options, null, 2)}` : ''
  return `const response = await fetch(${JSON.stringify(url)}${second})\nconst data = await response.json()`
}

/** Quotes text for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A text to copy; the script adds the button. */
export function copyableSnippet(label: string, text: string): Markup {
  return html`<figure class="snippet"><figcaption>${label}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`
}
