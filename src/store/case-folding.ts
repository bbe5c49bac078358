/**
 * Case-insensitive comparison, the same on every store and in every locale. Two characters are the
 * same letter when Unicode's single-character case mappings lead to the same character: `Σ`, `σ`
 * and `ς` are equal, and so are `ß` and `ẞ`; `ß` and `ss` differ. The Turkish `ı` and `İ` equal only
 * themselves. The database matches the variants of each character and maps nothing itself.
 */

/** Returns, for each character of the text, all characters that are the same letter. */
export function caseVariants(text: string): readonly (readonly string[])[] {
  return [...text].map((character) => {
    const variants = isAscii(character) ? asciiVariants : allVariants()
    return variants.get(keyOf(character)) ?? [character]
  })
}

/**
 * Returns ranges that together contain every text with this prefix, for an index lookup; none where
 * the prefix is empty. An undefined upper bound means unbounded.
 */
export function prefixRanges(
  characters: readonly (readonly string[])[],
): readonly (readonly [from: string, below: string | undefined])[] {
  let starts: readonly string[] = ['']
  for (const variants of characters) {
    if (starts.length * variants.length > maxRanges) break
    starts = starts.flatMap((start) => variants.map((variant) => start + variant))
  }
  return starts[0] === '' ? [] : starts.map((start) => [start, firstAfter(start)])
}

const maxRanges = 8

/** The first text after all texts with this prefix, in code point order. */
function firstAfter(start: string): string | undefined {
  const characters = [...start]
  const last = characters.pop()?.codePointAt(0) ?? lastCodePoint
  if (last === lastCodePoint) return undefined
  // Texts contain no surrogates.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return characters.join('') + String.fromCodePoint(next)
}

const lastCodePoint = 0x10ffff

/** The same character for all forms of a letter. */
function keyOf(character: string): string {
  if (character === 'ı') return character
  return single(single(character.toUpperCase(), character).toLowerCase(), character)
}

/** Ignores mappings that change the length. */
function single(mapped: string, character: string): string {
  return [...mapped].length === 1 ? mapped : character
}

function isAscii(character: string): boolean {
  return character < '\u0080'
}

/** Two ASCII letters have variants beyond ASCII: the long s and the Kelvin sign. */
const asciiVariants = variantsOf([...asciiCharacters(), 'ſ', '\u212A'])

function asciiCharacters(): readonly string[] {
  return Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code))
}

let known: Variants | undefined

/** Built on first use, because it takes some milliseconds. */
function allVariants(): Variants {
  known ??= variantsOf(casedCharacters())
  return known
}

type Variants = ReadonlyMap<string, readonly string[]>

/** By key, for letters with more than one form. */
function variantsOf(characters: Iterable<string>): Variants {
  const forms = new Map<string, string[]>()
  for (const character of characters) {
    const key = keyOf(character)
    const others = forms.get(key)
    if (others) others.push(character)
    else forms.set(key, [character])
  }
  return new Map([...forms].filter(([, all]) => all.length > 1))
}

function* casedCharacters(): Generator<string> {
  for (let code = 0; code <= lastCased; code++) {
    const character = String.fromCodePoint(code)
    if (hasCase.test(character)) yield character
  }
}

const hasCase = /\p{Changes_When_Casemapped}/u
/** No script beyond this one, Adlam, has letter case. */
const lastCased = 0x1e943
