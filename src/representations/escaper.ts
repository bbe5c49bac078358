/** Escaping of characters in long texts, in time that hardly depends on how many are escaped. */

/** Texts below this length are short enough for a call for each character. */
const short = 1000

/**
 * A function that replaces characters of ASCII, each by the text beside it. A long text is written
 * octet by octet: a replacement by a regular expression takes ten times as long where every
 * character is replaced.
 */
export function createEscaper(
  replacements: Readonly<Record<string, string>>,
): (text: string) => string {
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
    return text.length < short ? text.replace(every, replace) : escapeOctets(text, table)
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
