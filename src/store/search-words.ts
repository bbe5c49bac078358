/**
 * Words of a text, cut by us and not by a database, so that every store finds the same: compatible
 * forms, letter case and accents aside; whatever is neither letter, digit nor mark parts words.
 */

/** Longer words are kept, and looked for, by their beginning. */
const maxWordLength = 64

/** Each word once, in the order they first come. */
export function splitWords(text: string): readonly string[] {
  const found = text.normalize('NFKD').replace(accents, '').match(word) ?? []
  return [...new Set(found.map(folded))]
}

/** Combining accents of Latin, Greek and Cyrillic; the marks of other scripts are vowels. */
const accents = /[\u0300-\u036F]/gu
const word = /[\p{L}\p{N}\p{M}]+/gu

/** Upper case first: it alone makes `ß` and `ss` the same. */
function folded(found: string): string {
  return found.toUpperCase().toLowerCase().slice(0, maxWordLength).toWellFormed()
}
