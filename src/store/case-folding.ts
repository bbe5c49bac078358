/**
 * Letter case aside, alike on every store: a text is compared character by character, and two
 * characters are the same letter where Unicode's mappings to one upper-case or lower-case character
 * lead to the same one. So `Σ`, `σ` and `ς` are the same, and `ß` and `ẞ`; `ß` and `ss` are not. The
 * dotless `ı` and the dotted `İ` of Turkish are letters of their own. No locale plays a part, and no
 * database does the mapping: it is asked for the variants of each character.
 */

/** For each character of the text, the characters that are the same letter, itself included. */
export function caseVariants(text: string): readonly (readonly string[])[] {
  return [...text].map((character) => {
    const variants = isAscii(character) ? asciiVariants : allVariants()
    return variants.get(keyOf(character)) ?? [character]
  })
}

/**
 * Ranges of texts, one of which every text is in that begins with these characters: what an index
 * can look up. Undefined is no upper bound.
 */
export function prefixRanges(
  characters: readonly (readonly string[])[],
): readonly (readonly [from: string, below: string | undefined])[] {
  let starts: readonly string[] = ['']
  for (const variants of characters) {
    if (starts.length * variants.length > mostRanges) break
    starts = starts.flatMap((start) => variants.map((variant) => start + variant))
  }
  return starts[0] === '' ? [] : starts.map((start) => [start, following(start)])
}

const mostRanges = 8

/** The first text after all that begin so, in the order of code points. */
function following(start: string): string | undefined {
  const characters = [...start]
  const last = characters.pop()?.codePointAt(0) ?? lastCodePoint
  if (last === lastCodePoint) return undefined
  // No text has surrogates.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return characters.join('') + String.fromCodePoint(next)
}

const lastCodePoint = 0x10ffff

/** One character for all that are the same letter. */
function keyOf(character: string): string {
  if (character === 'ı') return character
  return single(single(character.toUpperCase(), character).toLowerCase(), character)
}

/** Where case changes the length it is not changed. */
function single(mapped: string, character: string): string {
  return [...mapped].length === 1 ? mapped : character
}

function isAscii(character: string): boolean {
  return character < '\u0080'
}

/** Two letters of ASCII have variants beyond it: the long s, and the sign of Kelvin. */
const asciiVariants = variantsOf([...asciiCharacters(), 'ſ', '\u212A'])

function asciiCharacters(): readonly string[] {
  return Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code))
}

let known: Variants | undefined

/** Made when a character beyond ASCII is first looked for; it takes some milliseconds. */
function allVariants(): Variants {
  known ??= variantsOf(casedCharacters())
  return known
}

type Variants = ReadonlyMap<string, readonly string[]>

/** By key, of letters that have more than one form. */
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
