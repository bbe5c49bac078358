/** Tokens (RFC 9110 §5.6.2). */

export function isToken(text: string): boolean {
  return text !== '' && endOfToken(text, 0) === text.length
}

/** The position after the token that begins at `start`; `start` if there is none. */
export function endOfToken(text: string, start: number): number {
  let position = start
  while (tokenCharacters[text.charCodeAt(position)] === 1) position++
  return position
}

const tokenCharacters = characterTable(
  "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
)

function characterTable(characters: string): Uint8Array {
  const table = new Uint8Array(128)
  for (const character of characters) table[character.charCodeAt(0)] = 1
  return table
}
