/** The characters that a part of a pattern can match: exact for ASCII, conservative beyond it. */

export interface CharacterSet {
  /** Codes of the ASCII characters. */
  readonly ascii: ReadonlySet<number>
  /** Whether it may contain other characters. */
  readonly beyond: boolean
}

export const noCharacters: CharacterSet = Object.freeze({ ascii: new Set<number>(), beyond: false })

/** Returns the characters of a literal, an escape or a character class. */
export function charactersOf(source: string): CharacterSet {
  const expression = new RegExp(`^(?:${source})$`, 'u')
  const codes = Array.from({ length: 128 }, (_, code) => code)
  const ascii = new Set(codes.filter((code) => expression.test(String.fromCharCode(code))))
  return { ascii, beyond: !isAsciiOnly(source) }
}

/** Whether the source can match ASCII characters only. */
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
