/** The characters that a part of a pattern can match: exact for ASCII and single characters, conservative for classes beyond it. */

export interface CharacterSet {
  /** Codes of the ASCII characters. */
  readonly ascii: ReadonlySet<number>
  /** Other characters that the pattern names one by one. */
  readonly literals: ReadonlySet<string>
  /** Classes that may contain other characters. */
  readonly classes: readonly RegExp[]
}

export const noCharacters: CharacterSet = Object.freeze({
  ascii: new Set<number>(),
  literals: new Set<string>(),
  classes: [],
})

/** Returns the characters of a literal, an escape or a character class. */
export function charactersOf(source: string): CharacterSet {
  if (/^\P{ASCII}$/u.test(source)) return { ...noCharacters, literals: new Set([source]) }
  const expression = new RegExp(`^(?:${source})$`, 'u')
  const codes = Array.from({ length: 128 }, (_, code) => code)
  const ascii = new Set(codes.filter((code) => expression.test(String.fromCharCode(code))))
  return { ...noCharacters, ascii, classes: isAsciiOnly(source) ? [] : [expression] }
}

/** Whether the source can match ASCII characters only. */
function isAsciiOnly(source: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  return /^(?:[\x00-\x2d\x2f-\x7f]|\\[^a-zA-Z]|\\[dwtnrfv]|\[(?!\^)(?:[\x00-\x5b\x5e-\x7f]|\\[^a-zA-Z]|\\[dwtnrfv])*\])$/.test(
    source,
  )
}

export function overlaps(one: CharacterSet, other: CharacterSet): boolean {
  return (
    !one.ascii.isDisjointFrom(other.ascii) ||
    !one.literals.isDisjointFrom(other.literals) ||
    hasClassFor(one, other.literals) ||
    hasClassFor(other, one.literals) ||
    (one.classes.length > 0 && other.classes.length > 0)
  )
}

function hasClassFor({ classes }: CharacterSet, literals: ReadonlySet<string>): boolean {
  return classes.some((expression) => literals.values().some((literal) => expression.test(literal)))
}

export function unionOf(one: CharacterSet, other: CharacterSet): CharacterSet {
  return {
    ascii: one.ascii.union(other.ascii),
    literals: one.literals.union(other.literals),
    classes: [...one.classes, ...other.classes],
  }
}
