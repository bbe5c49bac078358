/** Which characters a single part of a pattern can match: exact in ASCII, cautious beyond it. */

export interface CharacterSet {
  /** Which ASCII characters are in it, by their code. */
  readonly ascii: ReadonlySet<number>
  /** Whether others may be in it. */
  readonly beyond: boolean
}

export const noCharacters: CharacterSet = Object.freeze({ ascii: new Set<number>(), beyond: false })

/** Of a literal, an escape or a class, as it stands in a pattern. */
export function charactersOf(source: string): CharacterSet {
  const expression = new RegExp(`^(?:${source})$`, 'u')
  const codes = Array.from({ length: 128 }, (_, code) => code)
  const ascii = new Set(codes.filter((code) => expression.test(String.fromCharCode(code))))
  return { ascii, beyond: !isAsciiOnly(source) }
}

/** Letters, digits and signs, their ranges, and the escapes that name nothing else. */
function isAsciiOnly(source: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  return /^(?:[\x00-\x7f]|\\[^a-zA-Z]|\\[dwtnrfv]|\[(?!\^)(?:[\x00-\x5b\x5e-\x7f]|\\[^a-zA-Z]|\\[dwtnrfv])*\])$/.test(
    source,
  )
}

export function overlaps(one: CharacterSet, other: CharacterSet): boolean {
  return (one.beyond && other.beyond) || !one.ascii.isDisjointFrom(other.ascii)
}

export function unionOf(one: CharacterSet, other: CharacterSet): CharacterSet {
  return { ascii: one.ascii.union(other.ascii), beyond: one.beyond || other.beyond }
}
