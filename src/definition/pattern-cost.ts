/**
 * The cost of a regular expression. JavaScript backtracks, so the time depends on the number of ways
 * to divide a text. A pattern whose next character decides every choice is linear. A repeated group
 * that can divide a text in several ways takes exponential time. For other patterns the choices of the
 * pattern bound the number of ways.
 */

import { type CharacterSet, charactersOf, noCharacters, overlaps, unionOf } from './character-set.ts'
import {
  hasVariableRepetition,
  isRepeated,
  maxMatchLength,
  maxShortLength,
  type PatternAlternatives,
  type PatternNode,
  parsePattern,
} from './pattern-tree.ts'

/** The longest text for any pattern that is not known to be linear. */
const maxUnprovenLength = 1000
/** Backtracking steps within some milliseconds. */
const maxBacktracking = 10_000_000

/** Returns how long a text may be, in characters, for the pattern to be quick; infinite when linear. */
export function maxSafeLength(pattern: string): number {
  const tree = parsePattern(pattern)
  if (isLinear(tree)) return Number.POSITIVE_INFINITY
  const { repeats, factor } = countChoices(tree, !isAnchored(tree))
  if (repeats === 0) return factor > maxBacktracking ? 0 : maxUnprovenLength
  const length = ((maxBacktracking * factorial(repeats)) / factor) ** (1 / repeats)
  return Math.min(maxUnprovenLength, Math.floor(length))
}

/** Returns a function from the length of a text to a bound of its backtracking steps; 0 when linear. */
export function createBacktrackingBound(pattern: string): (length: number) => number {
  const tree = parsePattern(pattern)
  if (isLinear(tree)) return () => 0
  const { repeats, factor } = countChoices(tree, !isAnchored(tree))
  return (length) => (factor * length ** repeats) / factorial(repeats)
}

/**
 * Returns the source of a repeated group that may divide a text in several ways; undefined when there is
 * none. Conservative: it may name a group that divides every text in one way.
 */
export function findAmbiguousRepeat(
  alternatives: PatternAlternatives,
  withFlags: 'own flags' | 'flags of a group' = 'own flags',
): string | undefined {
  for (const node of alternatives.flat()) {
    if (!node.group) continue
    // The characters of a group with flags of its own, such as (?i:a), are not known.
    const flags = /^\(\?[a-z-]+:/.test(node.source) ? 'flags of a group' : withFlags
    if (isRepeated(node) && (flags !== 'own flags' || !isDividedOneWay(node.group))) return node.source
    const inner = findAmbiguousRepeat(node.group, flags)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Whether a text can be divided into repetitions of the group in only one way. */
function isDividedOneWay(group: PatternAlternatives): boolean {
  const own = firstOfGroup(group)
  return (!canBeEmpty(group) && isDeterministic(group, own)) || isDelimited(group)
}

/** Whether each repetition begins or ends with a character that no other part of it can match. */
function isDelimited([sequence = [], ...others]: PatternAlternatives): boolean {
  if (others.length > 0 || sequence.some(({ group }) => group)) return false
  if (sequence.filter(hasVariableRepetition).length > 1) return false
  return [sequence.at(0), sequence.at(-1)].some((delimiter) => {
    if (delimiter?.most !== 1 || canNodeBeEmpty(delimiter)) return false
    const characters = firstCharacters(delimiter)
    return sequence.every((node) => node === delimiter || !overlaps(characters, firstCharacters(node)))
  })
}

interface Choices {
  /** Repetitions that can end anywhere. */
  readonly repeats: number
  /** The product of all other choices. */
  readonly factor: number
}

function countChoices(alternatives: PatternAlternatives, searched: boolean): Choices {
  let repeats = searched ? 1 : 0
  let factor = alternatives.length
  for (const node of alternatives.flat()) {
    if (isRepeated(node) && hasVariableRepetition(node)) repeats += 1
    else if (hasVariableRepetition(node)) factor *= node.most - node.least + 1
    if (!node.group) continue
    const inner = countChoices(node.group, false)
    repeats += inner.repeats
    factor *= inner.factor ** Math.min(node.most, maxShortLength)
  }
  return { repeats, factor }
}

function factorial(number: number): number {
  return number <= 1 ? 1 : number * factorial(number - 1)
}

/** Whether every match begins at the start of the text. */
function isAnchored(alternatives: PatternAlternatives): boolean {
  return alternatives.every(([first]) => first?.source === '^')
}

function isLinear(alternatives: PatternAlternatives): boolean {
  const short = maxMatchLength(alternatives) <= maxShortLength
  return (isAnchored(alternatives) || short) && isDeterministic(alternatives, noCharacters)
}

/** Whether the next character decides every choice; `next` is what may follow the alternatives. */
function isDeterministic(alternatives: PatternAlternatives, next: CharacterSet): boolean {
  const starts = alternatives.map((sequence) => firstOfSequence(sequence, next))
  const apart = starts.every((one, at) => !starts.slice(at + 1).some((two) => overlaps(one, two)))
  return apart && alternatives.every((sequence) => isSequenceDeterministic(sequence, next))
}

function isSequenceDeterministic(sequence: readonly PatternNode[], next: CharacterSet): boolean {
  let following = next
  for (const node of sequence.toReversed()) {
    if (!isNodeDeterministic(node, following)) return false
    following = firstOfNode(node, following)
  }
  return true
}

function isNodeDeterministic(node: PatternNode, next: CharacterSet): boolean {
  const { group, source } = node
  if (/^(?:\(\?(?!:|<[^=!])|\\[1-9k])/.test(source)) return false
  const own = firstCharacters(node)
  if (hasVariableRepetition(node) && overlaps(own, next)) return false
  if (!group) return true
  if (node.most <= 1) return isDeterministic(group, next)
  return !canBeEmpty(group) && isDeterministic(group, unionOf(own, next))
}

/** The first characters of the sequence, with `next` when it can be empty. */
function firstOfSequence(sequence: readonly PatternNode[], next: CharacterSet): CharacterSet {
  return sequence.reduceRight((following, node) => firstOfNode(node, following), next)
}

function firstOfNode(node: PatternNode, next: CharacterSet): CharacterSet {
  const own = firstCharacters(node)
  return canNodeBeEmpty(node) ? unionOf(own, next) : own
}

function firstCharacters({ group, source }: PatternNode): CharacterSet {
  if (group) return firstOfGroup(group)
  return isWidthless(source) ? noCharacters : charactersOf(source)
}

function firstOfGroup(group: PatternAlternatives): CharacterSet {
  return group.map((sequence) => firstOfSequence(sequence, noCharacters)).reduce(unionOf, noCharacters)
}

function canNodeBeEmpty({ group, source, least }: PatternNode): boolean {
  return least === 0 || (group ? canBeEmpty(group) : isWidthless(source))
}

function canBeEmpty(group: PatternAlternatives): boolean {
  return group.some((sequence) => sequence.every(canNodeBeEmpty))
}

/** Assertions, which match no character. */
function isWidthless(source: string): boolean {
  return source === '^' || source === '$' || source === '\\b' || source === '\\B'
}
