/**
 * Reports the patterns of text fields that cost too much. Patterns run on text of clients, so they must
 * not take exponential time, and a pattern that may be slow needs a short maximum length.
 */

import type { FaultReport } from './definition-fault.ts'
import { findAmbiguousRepeat, maxSafeLength } from './pattern-cost.ts'
import { type PatternNode, parsePattern } from './pattern-tree.ts'

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
    'Write it so that the next character decides what it belongs to, as in ([a-z]|[0-9])* or (-[a-z]+)*.',
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

function hasBackReference(node: PatternNode): boolean {
  if (/^\\([1-9]|k<)/.test(node.source)) return true
  return node.group?.some((sequence) => sequence.some(hasBackReference)) ?? false
}
