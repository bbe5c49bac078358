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
  return links.map(formatLink).join(', ')
}

function formatLink(link: Link): string {
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
  if (safe.test(target)) return target
  return target.toWellFormed().replace(/[^!-~]|[<>"\\^`{|}]/gu, encodeURIComponent)
}

const safe = /^[!#-;=?-[\]_a-z~]*$/

/** RFC 8187 §3.2: text beyond ASCII goes into the starred form of the parameter. */
function formatAttribute(name: string, value: string): string {
  if (/^[\t -~]*$/.test(value)) return `${name}=${formatQuotedString(value)}`
  const encoded = encodeURIComponent(value.toWellFormed()).replace(/['()*]/g, percentCode)
  return `${name}*=UTF-8''${encoded}`
}

function percentCode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
