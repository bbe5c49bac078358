/** Positions of the change log in responses differ in each of them, as Date does. */

/** A token of a position, also within an encoded URI. A version of an item has a token of the same length. */
const position = /(?:(?<=%3D)|(?<![\w-]|history\/|version(?:":"|>)))[\w-]{22}(?![\w.-])/g

/** The text with each position masked. */
export function maskPositions(text: string): string {
  return text.replaceAll(position, '(position)')
}

/** The positions in the text. */
export function positionsIn(text: string): readonly string[] {
  return [...text.matchAll(position)].map(([token]) => token)
}
