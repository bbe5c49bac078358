/** The word diff of the page of a conflict: it contains both texts, marks words, and has a bounded cost. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DiffPart, diffWords, wordDiff } from '../../src/html/markup/word-diff.ts'

function without(kind: DiffPart['kind'], parts: readonly DiffPart[]): string {
  return parts
    .filter((part) => part.kind !== kind)
    .map(({ text }) => text)
    .join('')
}

function compact(former: string, newer: string): string {
  const marks = { same: '', removed: '-', added: '+' }
  return diffWords(former, newer)
    .map(({ kind, text }) => (kind === 'same' ? text : `[${marks[kind]}${text}]`))
    .join('')
}

test('words that differ are marked, and the others are not', () => {
  assert.equal(compact('On black tea', 'On green tea'), 'On [-black][+green] tea')
  assert.equal(compact('a b c', 'a c'), 'a [-b ]c')
  assert.equal(compact('', 'new'), '[+new]')
  assert.equal(compact('old', ''), '[-old]')
  assert.equal(compact('same', 'same'), 'same')
  assert.equal(compact('', ''), '')
  assert.equal(compact('naïve café', 'naïve cafés'), 'naïve [-café][+cafés]')
})

test('both texts can be read from the parts, whatever they are', () => {
  const texts = ['', ' ', 'a', 'a b', 'b a b', 'a\nb\n', '{"n":[1,2]}', '👩‍👩‍👧 x', 'x, y; z', 'a a a b a a']
  for (const former of texts) {
    for (const newer of texts) {
      const parts = diffWords(former, newer)
      assert.equal(without('added', parts), former)
      assert.equal(without('removed', parts), newer)
      assert.ok(
        parts.every(({ text }, index) => text !== '' && parts[index + 1]?.kind !== parts[index]?.kind),
      )
    }
  }
})

test('texts that are too long to compare are replaced, and still contain both', () => {
  const words = (word: string, count: number) => Array.from({ length: count }, (_, at) => word + at).join(' ')
  for (const count of [2_000, 30_000]) {
    const [former, newer] = [`x ${words('a', count)} y`, `x ${words('b', count)} y`]
    const parts = diffWords(former, newer)
    assert.ok(parts.length <= 4, String(parts.length))
    assert.equal(without('added', parts), former)
    assert.equal(without('removed', parts), newer)
  }
})

test('the markup names removals and additions for screen readers, escapes text, and shortens common text', () => {
  const long = 'word '.repeat(500)
  const markup = String(wordDiff(`${long}<b>`, `${long}<i>`))
  assert.match(markup, /<del><span class="away"> removed: <\/span>b<\/del>/)
  assert.match(markup, /<ins><span class="away"> added: <\/span>i<\/ins>/)
  assert.match(markup, /&lt;/)
  assert.ok(markup.length < 600, String(markup.length))
})
