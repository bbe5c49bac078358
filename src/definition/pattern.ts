/**
 * Checks the patterns of text fields. Patterns run on text of clients, so they must not take
 * exponential time, and a pattern that may be slow needs a short maximum length. The check is
 * conservative: it accepts a few safe shapes of nested repeats and refuses all others.
 */

import type { FaultReport } from './definition-fault.ts'
import { maxSafeLength } from './pattern-cost.ts'
import { hasVariableRepetition, isRepeated, type PatternNode as Node, parsePattern } from './pattern-tree.ts'

/** The maximum length of the texts that a pattern runs on. */
export interface TextBound {
  /** In characters; infinite without a limit. */
  readonly maxLength: number
  /** The option or keyword that sets the limit; undefined when there is none. */
  readonly name?: string
}

/** Reports a pattern that is not a regular expression, may take exponential time, or may be slow. */
export function checkPattern(pattern: string, bound: TextBound, report: FaultReport): void {
  try {
    new RegExp(pattern, 'u')
  } catch (cause) {
    report(`The pattern ${pattern} is not a regular expression: ${(cause as Error).message}.`)
    return
  }
  const tree = parsePattern(pattern)
  if (tree.some((sequence) => sequence.some(hasBackReference))) {
    report(
      `The pattern ${pattern} has a back-reference, which can take exponential time.`,
      'Remove the back-reference.',
    )
    return
  }
  const ambiguous = findAmbiguousRepeat(tree)
  if (ambiguous === undefined) {
    checkLength(pattern, bound, report)
    return
  }
  report(
    `The pattern ${pattern} repeats ${ambiguous}, which can match the same text in several ways: some texts would take exponential time.`,
    'Repeat a single character class, or begin each repetition with a character that occurs nowhere else in it, as in (-[a-z]+)*.',
  )
}

function checkLength(pattern: string, { maxLength: longest, name }: TextBound, report: FaultReport): void {
  const limit = maxSafeLength(pattern)
  if (longest <= limit) return
  const simpler =
    'begin the pattern with ^, and follow each repetition by a character that it cannot match, as in ^[a-z]+(-[a-z]+)*$'
  report(
    `The pattern ${pattern} could be slow on long texts.`,
    name === undefined || limit === 0
      ? `Simplify it: ${simpler}.`
      : `Set '${name}' to ${limit} or less, or ${simpler}.`,
  )
}

function hasBackReference(node: Node): boolean {
  if (/^\\([1-9]|k<)/.test(node.source)) return true
  return node.group?.some((sequence) => sequence.some(hasBackReference)) ?? false
}

function findAmbiguousRepeat(alternatives: readonly (readonly Node[])[]): string | undefined {
  for (const node of alternatives.flat()) {
    if (node.group === undefined) continue
    if (isRepeated(node) && !isUnambiguous(node.group)) return node.source
    const inner = findAmbiguousRepeat(node.group)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Whether a text can be divided into repetitions of the group in only one way. */
function isUnambiguous(group: readonly (readonly Node[])[]): boolean {
  const nodes = group.flat()
  const single = group.length === 1 ? group[0]! : undefined
  if (nodes.some((node) => node.group !== undefined)) {
    // A group that only contains another group.
    return single?.length === 1 && !hasVariableRepetition(single[0]!) && isUnambiguous(single[0]!.group ?? [])
  }
  if (single === undefined) return beginDifferently(group)
  const variable = nodes.filter(hasVariableRepetition)
  if (variable.length === 0) return true
  return variable.length === 1 && (isDelimiter(nodes, 0) || isDelimiter(nodes, nodes.length - 1))
}

function beginDifferently(group: readonly (readonly Node[])[]): boolean {
  if (group.flat().some(hasVariableRepetition)) return false
  const first = group.map((sequence) => literalOf(sequence[0]))
  return !first.includes(undefined) && new Set(first).size === first.length
}

/** Whether the node is one fixed character that no other node of the sequence can match. */
function isDelimiter(nodes: readonly Node[], at: number): boolean {
  const character = literalOf(nodes[at])
  if (character === undefined || hasVariableRepetition(nodes[at]!)) return false
  return nodes.every(
    (node, index) => index === at || !new RegExp(`^(?:${node.source})$`, 'u').test(character),
  )
}

function literalOf(node: Node | undefined): string | undefined {
  if (node === undefined || node.group !== undefined || node.least === 0) return undefined
  const literal = /^(?:\\([^A-Za-z0-9])|([^\\[.^$]))$/su.exec(node.source)
  return literal?.[1] ?? literal?.[2]
}
