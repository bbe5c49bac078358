/** The differences between two texts, word by word, for people who choose between them. */

import { html, type Markup } from './markup.ts'

/** A part of both texts, or of the former or the newer alone. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** The comparison of longer texts, and of more words, would take too long: they are shown as replaced. */
const maxLength = 100_000
const maxComparisons = 250_000

/** The parts in order. The cost is bounded, so that texts which differ much are a removal and an addition. */
export function diffWords(former: string, newer: string): readonly DiffPart[] {
  if (former === newer) return joinParts([{ kind: 'same', text: former }])
  if (former.length > maxLength || newer.length > maxLength) return joinParts(replaced([former], [newer]))
  const [old, young] = [splitWords(former), splitWords(newer)]
  const start = commonLength(old, young, (words, index) => words[index])
  const [oldRest, youngRest] = [old.slice(start), young.slice(start)]
  const end = commonLength(oldRest, youngRest, (words, index) => words.at(-1 - index))
  const oldMiddle = oldRest.slice(0, oldRest.length - end)
  const youngMiddle = youngRest.slice(0, youngRest.length - end)
  const isCheap = oldMiddle.length * youngMiddle.length <= maxComparisons
  return joinParts([
    ...old.slice(0, start).map(same),
    ...(isCheap ? alignWords(oldMiddle, youngMiddle) : replaced(oldMiddle, youngMiddle)),
    ...oldRest.slice(oldRest.length - end).map(same),
  ])
}

/** Words, runs of spaces, and other characters one by one. */
function splitWords(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu) ?? []
}

type WordAt = (words: readonly string[], index: number) => string | undefined

/** How many words are alike, in the order of `wordAt`. */
function commonLength(one: readonly string[], other: readonly string[], wordAt: WordAt): number {
  const limit = Math.min(one.length, other.length)
  let length = 0
  while (length < limit && wordAt(one, length) === wordAt(other, length)) length += 1
  return length
}

function same(text: string): DiffPart {
  return { kind: 'same', text }
}

function replaced(old: readonly string[], young: readonly string[]): readonly DiffPart[] {
  return [
    ...old.map((text): DiffPart => ({ kind: 'removed', text })),
    ...young.map((text): DiffPart => ({ kind: 'added', text })),
  ]
}

/** Keeps a longest common subsequence of the words. */
function alignWords(old: readonly string[], young: readonly string[]): readonly DiffPart[] {
  const width = young.length + 1
  const lengths = commonSubsequences(old, young)
  const lengthAt = (row: number, column: number) => lengths[row * width + column] ?? 0
  const parts: DiffPart[] = []
  let [row, column] = [0, 0]
  while (row < old.length && column < young.length) {
    const [oldWord = '', youngWord = ''] = [old[row], young[column]]
    if (oldWord === youngWord) {
      parts.push(same(oldWord))
      row += 1
      column += 1
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) {
      parts.push({ kind: 'removed', text: oldWord })
      row += 1
    } else {
      parts.push({ kind: 'added', text: youngWord })
      column += 1
    }
  }
  return [...parts, ...replaced(old.slice(row), young.slice(column))]
}

/** A table: the length of the longest common subsequence of the words from each pair of positions on. */
function commonSubsequences(old: readonly string[], young: readonly string[]): Uint32Array {
  const width = young.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = young.length - 1; column >= 0; column -= 1) {
      const at = row * width + column
      const longer = Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0)
      lengths[at] = old[row] === young[column] ? (lengths[at + width + 1] ?? 0) + 1 : longer
    }
  }
  return lengths
}

/** Joins neighbours of one kind. Between two common words, the removal comes before the addition. */
function joinParts(parts: readonly DiffPart[]): readonly DiffPart[] {
  const joined: DiffPart[] = []
  let pending = { removed: '', added: '' }
  const flush = () => {
    if (pending.removed !== '') joined.push({ kind: 'removed', text: pending.removed })
    if (pending.added !== '') joined.push({ kind: 'added', text: pending.added })
    pending = { removed: '', added: '' }
  }
  let common = ''
  for (const { kind, text } of parts) {
    if (kind === 'same') {
      flush()
      common += text
    } else {
      if (common !== '') joined.push(same(common))
      common = ''
      pending[kind] += text
    }
  }
  flush()
  if (common !== '') joined.push(same(common))
  return joined
}

/** The differences with `del` and `ins`, which are also named for screen readers. */
export function wordDiff(former: string, newer: string): Markup {
  const parts = diffWords(former, newer).map(({ kind, text }) => {
    if (kind === 'same') return html`${shortened(text)}`
    return kind === 'removed'
      ? html`<del><span class="away"> removed: </span>${text}</del>`
      : html`<ins><span class="away"> added: </span>${text}</ins>`
  })
  return html`<p class="diff">${parts}</p>`
}

/** How much of a common part is shown beside a difference. */
const context = 120

function shortened(text: string): string {
  return text.length <= 3 * context ? text : `${text.slice(0, context)} … ${text.slice(-context)}`
}
