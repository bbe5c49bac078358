/**
 * Patterns of text fields. A pattern runs on whatever clients send, so besides being a regular
 * expression it must not be able to take exponential time. The check is conservative: it knows a
 * few shapes to be safe, and refuses other repeats within repeats.
 */

import type { Report } from './fault.ts'

/** Reports a pattern that is no regular expression, or one that could run for ever. */
export function checkPattern(pattern: string, report: Report): void {
  try {
    new RegExp(pattern, 'u')
  } catch (cause) {
    report(`The pattern ${pattern} is no regular expression: ${(cause as Error).message}.`)
    return
  }
  const tree = parseAlternatives(tokenize(pattern), { at: 0 })
  if (tree.some((sequence) => sequence.some(hasBackReference))) {
    report(`The pattern ${pattern} has a back-reference, which can take exponential time.`)
  }
  const risky = findRisk(tree)
  if (risky === undefined) return
  report(
    `The pattern ${pattern} repeats ${risky}, which itself can match the same text in several ways: some texts would take exponential time.`,
    'Repeat a single character class, or begin each repeat with a character that occurs nowhere else in it, as in (-[a-z]+)*.',
  )
}

interface Node {
  /** The source, without its quantifier. */
  readonly source: string
  /** For a group: its alternatives, each a sequence. */
  readonly group: readonly (readonly Node[])[] | undefined
  readonly least: number
  readonly most: number
}

/** Up to this many characters even trying every way to cut the text is quick. */
const shortText = 16
const isRepeated = (node: Node) => node.most > 1 && longest(node) > shortText
const isVariable = (node: Node) => node.most !== node.least

/** How many characters the node can match at most. */
function longest(node: Node): number {
  const once = node.group?.map((sequence) => sequence.reduce((sum, n) => sum + longest(n), 0))
  return node.most * Math.max(1, ...(once ?? []))
}

function hasBackReference(node: Node): boolean {
  if (/^\\([1-9]|k<)/.test(node.source)) return true
  return node.group?.some((sequence) => sequence.some(hasBackReference)) ?? false
}

function findRisk(alternatives: readonly (readonly Node[])[]): string | undefined {
  for (const node of alternatives.flat()) {
    if (node.group === undefined) continue
    if (isRepeated(node) && !isUnambiguous(node.group)) return node.source
    const inner = findRisk(node.group)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Whether repeats of the group can be told apart in only one way. */
function isUnambiguous(group: readonly (readonly Node[])[]): boolean {
  const nodes = group.flat()
  const single = group.length === 1 ? group[0]! : undefined
  if (nodes.some((node) => node.group !== undefined)) {
    // A mere pair of brackets around brackets.
    return single?.length === 1 && !isVariable(single[0]!) && isUnambiguous(single[0]!.group ?? [])
  }
  if (single === undefined) return beginDifferently(group)
  const variable = nodes.filter(isVariable)
  if (variable.length === 0) return true
  return variable.length === 1 && (isDelimiter(nodes, 0) || isDelimiter(nodes, nodes.length - 1))
}

function beginDifferently(group: readonly (readonly Node[])[]): boolean {
  if (group.flat().some(isVariable)) return false
  const first = group.map((sequence) => literalOf(sequence[0]))
  return !first.includes(undefined) && new Set(first).size === first.length
}

/** Whether the node is one fixed character that no other node of the sequence can match. */
function isDelimiter(nodes: readonly Node[], at: number): boolean {
  const character = literalOf(nodes[at])
  if (character === undefined || isVariable(nodes[at]!)) return false
  return nodes.every(
    (node, index) => index === at || !new RegExp(`^(?:${node.source})$`, 'u').test(character),
  )
}

function literalOf(node: Node | undefined): string | undefined {
  if (node === undefined || node.group !== undefined || node.least === 0) return undefined
  const literal = /^(?:\\([^A-Za-z0-9])|([^\\[.^$]))$/su.exec(node.source)
  return literal?.[1] ?? literal?.[2]
}

function tokenize(pattern: string): readonly string[] {
  const token =
    /\\(?:k<[^>]*>|u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[0-9]+|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z]*(?:-[a-z]*)?:))?|[*+?]\??|\{[0-9]+(?:,[0-9]*)?\}\??|./gsu
  return pattern.match(token) ?? []
}

/** Reads up to the closing bracket of the group, or the end. */
function parseAlternatives(tokens: readonly string[], cursor: { at: number }): Node[][] {
  const alternatives: Node[][] = [[]]
  while (cursor.at < tokens.length) {
    const token = tokens[cursor.at++]!
    if (token === ')') break
    if (token === '|') alternatives.push([])
    else alternatives.at(-1)!.push(parseNode(token, tokens, cursor))
  }
  return alternatives
}

function parseNode(token: string, tokens: readonly string[], cursor: { at: number }): Node {
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
