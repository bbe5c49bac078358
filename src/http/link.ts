/** Link (RFC 8288 §3): typed relations from the target to other resources. */

import { formatQuotedString } from './quoted-string.ts'

export interface Link {
  /** A URI reference, already encoded. */
  readonly target: string
  readonly rel: string
  /** Further target attributes, such as type, title or hreflang. */
  readonly [attribute: string]: string | undefined
}

/** One field value for all the links; `rel` is the first parameter of each. */
export function formatLinks(links: readonly Link[]): string {
  let text = ''
  for (const link of links) text = text === '' ? formatLink(link) : `${text}, ${formatLink(link)}`
  return text
}

export function formatLink(link: Link): string {
  return formattedLinks.get(link) ?? formatUncached(link)
}

/** A link that many answers have in common: what it is in the field is worked out once. */
export function cacheFormattedLink(link: Link): Link {
  formattedLinks.set(link, formatUncached(link))
  return link
}

const formattedLinks = new WeakMap<Link, string>()

/**
 * Links whose targets begin alike. Their ends are formatted links without the bracket and that
 * beginning, so that what many answers have in common is written once.
 */
export function formatLinksWithPrefix(prefix: string, suffixes: readonly string[]): string {
  const reference = safeReference(prefix)
  let text = ''
  for (const end of suffixes) text += text === '' ? `<${reference}${end}` : `, <${reference}${end}`
  return text
}

function formatUncached(link: Link): string {
  let text = `<${safeReference(link.target)}>; rel=${formatQuotedString(link.rel)}`
  for (const name in link) {
    const value = link[name]
    if (name === 'target' || name === 'rel' || value === undefined) continue
    text += `; ${formatAttribute(name, value)}`
  }
  return text
}

/** Encodes what would end the reference or the field; what is a URI already stays as it is. */
function safeReference(target: string): string {
  if (safeCharacters.test(target)) return target
  return target.toWellFormed().replace(/[^!-~]|[<>"\\^`{|}]/gu, encodeURIComponent)
}

const safeCharacters = /^[!#-;=?-[\]_a-z~]*$/

/** RFC 8187 §3.2: text beyond ASCII goes into the starred form of the parameter. */
function formatAttribute(name: string, value: string): string {
  if (/^[\t -~]*$/.test(value)) return `${name}=${formatQuotedString(value)}`
  const encoded = encodeURIComponent(value.toWellFormed()).replace(/['()*]/g, percentEncode)
  return `${name}*=UTF-8''${encoded}`
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
