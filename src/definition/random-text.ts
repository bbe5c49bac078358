/** Random texts that match a regular expression. */

import { type PatternAlternatives, type PatternNode, parsePattern } from './pattern-tree.ts'

/** A function that returns numbers from 0 to below 1. */
export type RandomSource = () => number

/** A text that matches the pattern; undefined where none was found. */
export function randomMatch(pattern: string, random: RandomSource): string | undefined {
  const tree = parsePattern(pattern)
  const expression = new RegExp(pattern, 'u')
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const text = matchOf(tree, random)
    if (expression.test(text)) return text
  }
  return undefined
}

const maxAttempts = 20
/** Repetitions beyond the least. */
const maxRepetitions = 4

function matchOf(alternatives: PatternAlternatives, random: RandomSource): string {
  const sequence = alternatives[Math.floor(random() * alternatives.length)] ?? []
  return sequence.map((node) => repeatedMatch(node, random)).join('')
}

function repeatedMatch(node: PatternNode, random: RandomSource): string {
  const most = Math.min(node.most, node.least + maxRepetitions)
  const length = node.least + Math.floor(random() * (most - node.least + 1))
  return Array.from({ length }, () => singleMatch(node, random)).join('')
}

/** Characters that patterns usually allow. */
const characters = [...'abcxyzABCXYZ0123456789 -_.,:;/+#@é李']

function singleMatch({ source, group }: PatternNode, random: RandomSource): string {
  // A lookahead matches no character.
  if (group) return /^\(\?<?[=!]/.test(source) ? '' : matchOf(group, random)
  if (source === '^' || source === '$' || source === '\\b' || source === '\\B') return ''
  const expression = new RegExp(`^(?:${source})$`, 'u')
  const fitting = characters.filter((one) => expression.test(one))
  return fitting[Math.floor(random() * fitting.length)] ?? ''
}
