/** The keywords `pattern` and `uniqueItems` of JSON Schema in bounded time. */

import { excludeSurrogates } from './kinds/text.ts'
import { createBacktrackingBound } from './pattern-cost.ts'

/** The backtracking steps of one validation, for patterns that are not linear. */
const maxWork = 20_000_000
let work = 0

/** Begins a validation: resets the count of backtracking steps. */
export function beginValidation(): void {
  work = 0
}

export interface PatternOptions {
  /** Longer texts are accepted, because this keyword refuses them. */
  readonly maxLength: number | undefined
  /** Whether the pattern is one of the built-in kinds, whose steps are not counted. */
  readonly isTrusted: boolean
}

/** The keyword that a text violates: `x-patternWork` when the validation takes too many steps. */
export type PatternCheck = (text: string) => 'pattern' | 'x-patternWork' | undefined

/** Throws where the pattern is not a regular expression. */
export function createPatternCheck(source: string, { maxLength, isTrusted }: PatternOptions): PatternCheck {
  const expression = new RegExp(excludeSurrogates(source), 'u')
  // In code units: every character may be a surrogate pair.
  const longest = 2 * (maxLength ?? Number.POSITIVE_INFINITY)
  let steps: ((length: number) => number) | undefined = isTrusted ? () => 0 : undefined
  return (text) => {
    if (text.length > longest) return undefined
    steps ??= createBacktrackingBound(source)
    work += steps(text.length)
    if (work > maxWork) return 'x-patternWork'
    return expression.test(text) ? undefined : 'pattern'
  }
}

/** The indexes of two equal items. Compares canonical texts, in linear time. */
export function findDuplicate(items: readonly unknown[]): { i: number; j: number } | undefined {
  const indexByText = new Map<string, number>()
  for (const [j, item] of items.entries()) {
    const text = canonicalText(item)
    const i = indexByText.get(text)
    if (i !== undefined) return { i, j }
    indexByText.set(text, j)
  }
  return undefined
}

/** Returns the same text for equal values only: members are sorted by name. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one
    const members = Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(members)
  })
}
