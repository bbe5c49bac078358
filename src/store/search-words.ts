/**
 * Splits text into search words, the same for every store: NFKD, without letter case and accents.
 * Any character except letters, digits and marks separates words.
 */

/** Longer words are cut, both in rows and in searches. */
const maxWordLength = 64

/** Returns each word once, in order of first occurrence. */
export function splitWords(text: string): readonly string[] {
  const found = text.normalize('NFKD').replace(accents, '').match(word) ?? []
  return [...new Set(found.map(foldWord))]
}

/** Combining accents of Latin, Greek and Cyrillic; the marks of other scripts are vowels. */
const accents = /[\u0300-\u036F]/gu
const word = /[\p{L}\p{N}\p{M}]+/gu

/** Upper case first, because only it maps `ß` to `SS`. */
function foldWord(found: string): string {
  return found.toUpperCase().toLowerCase().slice(0, maxWordLength).toWellFormed()
}
