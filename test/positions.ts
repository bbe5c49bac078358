/** Positions of the change log in responses differ in each of them, as Date does. */

/** The text with each position masked. */
export function maskPositions(text: string): string {
  return text.replaceAll(/(?<![\w-])[\w-]{48}(?![\w-])/g, '(position)')
}
