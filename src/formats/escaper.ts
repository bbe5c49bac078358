/** Escaping of characters, fast even for long texts in which every character is escaped. */

/** Shorter texts are escaped with a regular expression. */
const minLongLength = 1000

/**
 * Creates a function that replaces ASCII characters by texts. A long text is escaped octet by octet:
 * a regular expression takes ten times as long when every character is replaced.
 */
export function createEscaper(replacements: Readonly<Record<string, string>>): (text: string) => string {
  const characters = Object.keys(replacements).join('')
  const any = new RegExp(`[${characters}]`)
  const every = new RegExp(`[${characters}]`, 'g')
  const replace = (character: string) => replacements[character] ?? character
  const table = Array.from({ length: 256 }, (_, octet) => {
    const replacement = replacements[String.fromCharCode(octet)]
    return replacement === undefined ? undefined : Buffer.from(replacement)
  })
  return (text) => {
    if (!any.test(text)) return text
    return text.length < minLongLength ? text.replace(every, replace) : escapeOctets(text, table)
  }
}

function escapeOctets(text: string, table: readonly (Uint8Array | undefined)[]): string {
  const source = Buffer.from(text)
  let length = 0
  for (let at = 0; at < source.length; at += 1) length += table[source[at] ?? 0]?.length ?? 1
  const escaped = Buffer.allocUnsafe(length)
  let end = 0
  for (let at = 0; at < source.length; at += 1) {
    const octet = source[at] ?? 0
    const replacement = table[octet]
    if (replacement === undefined) escaped[end++] = octet
    else for (let of = 0; of < replacement.length; of += 1) escaped[end++] = replacement[of] ?? 0
  }
  return escaped.toString()
}
