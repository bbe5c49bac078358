/** The Link field (RFC 8288 §3). */

import { formatQuotedString } from './field-value.ts'
import { formatExtendedValue } from './percent-encoding.ts'

export interface Link {
  /** A URI reference, already encoded. */
  readonly target: string
  readonly rel: string
  /** Further target attributes, such as type, title or hreflang. */
  readonly [attribute: string]: string | undefined
}

/** Formats one field value for all links, with `rel` as the first parameter of each. */
export function formatLinks(links: readonly Link[]): string {
  let text = ''
  for (const link of links) text = text === '' ? formatLink(link) : `${text}, ${formatLink(link)}`
  return text
}

/** Formats one link-value. */
export function formatLink(link: Link): string {
  return formattedLinks.get(link) ?? formatUncached(link)
}

/** Caches the formatted text of a link that many responses share, and returns the link. */
export function cacheFormattedLink(link: Link): Link {
  formattedLinks.set(link, formatUncached(link))
  return link
}

const formattedLinks = new WeakMap<Link, string>()

function formatUncached(link: Link): string {
  let text = `<${safeReference(link.target)}>; rel=${formatQuotedString(link.rel)}`
  for (const name in link) {
    const value = link[name]
    if (name === 'target' || name === 'rel' || value === undefined) continue
    text += `; ${formatAttribute(name, value)}`
  }
  return text
}

/** Percent-encodes the characters that a URI reference cannot have. */
function safeReference(target: string): string {
  if (safeCharacters.test(target)) return target
  return target.toWellFormed().replace(/[^!-~]|[<>"\\^`{|}]/gu, encodeURIComponent)
}

const safeCharacters = /^[!#-;=?-[\]_a-z~]*$/

/** RFC 8187 §3.2: text beyond ASCII needs the extended notation, `title*`. */
function formatAttribute(name: string, value: string): string {
  if (/^[\t -~]*$/.test(value)) return `${name}=${formatQuotedString(value)}`
  return `${name}*=${formatExtendedValue(value)}`
}
