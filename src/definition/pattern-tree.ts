/** A regular expression as a tree: alternatives of sequences of characters and groups. */

export interface PatternNode {
  /** The source, without its quantifier. */
  readonly source: string
  /** For a group: its alternatives, each a sequence. */
  readonly group: PatternAlternatives | undefined
  readonly least: number
  readonly most: number
}

export type PatternAlternatives = readonly (readonly PatternNode[])[]

/** Returns the tree of a valid regular expression with the flag `u`. */
export function parsePattern(pattern: string): PatternAlternatives {
  return parseAlternatives(tokenize(pattern), { at: 0 })
}

/** Up to this length, trying every division of a text is quick. */
export const maxShortLength = 16

/** Whether the repetitions can match more than a short text. */
export function isRepeated(node: PatternNode): boolean {
  return node.most > 1 && node.most * maxSingleMatchLength(node) > maxShortLength
}

/** Whether the number of repetitions varies. */
export function hasVariableRepetition(node: PatternNode): boolean {
  return node.most !== node.least
}

/** Returns the length of the longest match of the alternatives. */
export function maxMatchLength(alternatives: PatternAlternatives): number {
  const lengths = alternatives.map((sequence) =>
    sequence.reduce((sum, node) => sum + node.most * maxSingleMatchLength(node), 0),
  )
  return Math.max(1, ...lengths)
}

function maxSingleMatchLength({ group }: PatternNode): number {
  return group ? maxMatchLength(group) : 1
}

function tokenize(pattern: string): readonly string[] {
  const token =
    /\\(?:k<[^>]*>|u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[0-9]+|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z]*(?:-[a-z]*)?:))?|[*+?]\??|\{[0-9]+(?:,[0-9]*)?\}\??|./gsu
  return pattern.match(token) ?? []
}

/** Reads up to the closing bracket of the group, or the end. */
function parseAlternatives(tokens: readonly string[], cursor: { at: number }): PatternNode[][] {
  const alternatives: PatternNode[][] = [[]]
  while (cursor.at < tokens.length) {
    const token = tokens[cursor.at++]!
    if (token === ')') break
    if (token === '|') alternatives.push([])
    else alternatives.at(-1)!.push(parseNode(token, tokens, cursor))
  }
  return alternatives
}

function parseNode(token: string, tokens: readonly string[], cursor: { at: number }): PatternNode {
  const begin = cursor.at
  const group = token.startsWith('(') ? parseAlternatives(tokens, cursor) : undefined
  const source = token + tokens.slice(begin, cursor.at).join('')
  const quantifier = /^(?:([*+?])|\{([0-9]+)(,)?([0-9]*)\})\??$/.exec(tokens[cursor.at] ?? '')
  if (quantifier === null) return { source, group, least: 1, most: 1 }
  cursor.at++
  return { source, group, ...parseQuantifier(quantifier) }
}

function parseQuantifier(match: RegExpExecArray): { least: number; most: number } {
  const [, sign, least, comma, most] = match
  if (sign === '*') return { least: 0, most: Number.POSITIVE_INFINITY }
  if (sign === '+') return { least: 1, most: Number.POSITIVE_INFINITY }
  if (sign === '?') return { least: 0, most: 1 }
  if (comma === undefined) return { least: Number(least), most: Number(least) }
  return { least: Number(least), most: most === '' ? Number.POSITIVE_INFINITY : Number(most) }
}
