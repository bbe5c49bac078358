import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPattern } from '../../src/definition/pattern.ts'
import { maxSafeLength } from '../../src/definition/pattern-cost.ts'

function faultsOf(pattern: string, longest = 100): readonly string[] {
  const faults: string[] = []
  checkPattern(pattern, { maxLength: longest, name: 'max' }, (reason, hint) =>
    faults.push(`${reason} ${hint ?? ''}`),
  )
  return faults
}

test('patterns that people write pass', () => {
  for (const pattern of [
    '^[a-z0-9-]+$',
    '^[A-Z]{2}[0-9]{3,10}$',
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^[a-z]+(\\.[a-z]+)*$',
    '^(?:[a-z]+/)*$',
    '^(?:a|b|c)+$',
    '^(?:ab|cd)*$',
    '^([0-9]{1,3}\\.){3}[0-9]{1,3}$',
    '^([0-9a-f]{4}-){3}[0-9a-f]{4}$',
    '^(a?b?){2}$',
    '^((ab))+$',
    '^(?=.{3,}$)[a-z]+$',
    '^\\p{L}+( \\p{L}+)*$',
    '^[^\\]]+\\u{1F600}?$',
    '^([a-z]|[0-9])*$',
    '^(?:ä|ö|[a-z])+$',
    '^\\p{L}+(–\\p{L}+)*$',
    '^(\\.[a-z0-9-]*[a-z0-9])*$',
    '^(?:[a-z]+(?:-[a-z]+)*,)*$',
    '^(,\\s*[a-z]+)*$',
    '^(?i:[a-z]+)$',
    '',
  ]) {
    assert.deepEqual(faultsOf(pattern), [], pattern)
  }
})

test('repeats of what repeats, or of alternatives that begin alike, are refused', () => {
  for (const pattern of [
    '(a+)+',
    '^(a*)*$',
    '^(?:a+)*$',
    '^([a-z]+)+$',
    '^(a|a)*$',
    '^(a|ab)*$',
    '^(.|a)*$',
    '^(?:[a-z]+-?)*$',
    '^(-[a-z]*[a-z]*)*$',
    '^((a+)b?)*$',
    '^(a+){20}$',
    '^(?<word>\\w+\\s?)*$',
    '^x(y(z+)+)?$',
    '^(a{1,50}){1,50}$',
    '^(?i:(A[a-z]+)*)$',
    '^(?s:(\\n.+)*)$',
    '^(?:ä|\\p{L})*$',
    '^(?:.|ä)*$',
    '^(?:[a-z]+(?:-[a-z]+)*)*$',
    '^(\\b)*$',
  ]) {
    assert.match(faultsOf(pattern).join(), /exponential time/, pattern)
  }
})

test('back-references are refused', () => {
  assert.match(faultsOf('^(a)\\1$').join(), /back-reference/)
  assert.match(faultsOf('^(?<x>a)\\k<x>$').join(), /back-reference/)
})

test('an invalid regular expression is refused', () => {
  for (const pattern of ['(', '[a', 'a**', '\\-', '{1}', '\\p{Nope}']) {
    assert.match(faultsOf(pattern).join(), /not a regular expression/, pattern)
  }
})

test('a pattern in which the next character decides every choice runs on texts of any length', () => {
  for (const pattern of [
    '^[a-z0-9-]+$',
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^(?:[a-z]+/)*$',
    '^[^@\\s]+@[^@\\s.]+(?:\\.[^@\\s.]+)+$',
    '^(?:red|green|blue)(?:,(?:red|green|blue))*$',
    '^[^\\n]*\\n[^\\n]*$',
    '^\\+?[0-9 ]*$',
    '[A-Z]{3}',
    '^a|^b+$',
  ]) {
    assert.equal(maxSafeLength(pattern), Number.POSITIVE_INFINITY, pattern)
  }
})

test('for any other pattern the text has at most 1,000 characters, and fewer the more repeats it has', () => {
  for (const [pattern, longest] of [
    ['a+b', 1000],
    ['^a*a*$', 1000],
    ['^(?=.*[0-9])[a-z0-9]*$', 1000],
    ['^\\s*.*\\s*$', 391],
    ['^a*a*a*a*$', 124],
    [`^${'a?'.repeat(30)}b$`, 0],
  ] as const) {
    assert.equal(maxSafeLength(pattern), longest, pattern)
    assert.equal(faultsOf(pattern, longest || 1).length, longest === 0 ? 1 : 0, pattern)
    assert.match(faultsOf(pattern, longest + 1).join(), /could be slow on long texts/, pattern)
  }
})

test('the fault names the length to set, and how to write the pattern instead', () => {
  const [fault] = faultsOf('^\\s*.*\\s*$', 10_000)
  assert.match(fault ?? '', /Set 'max' to 391 or less, or begin the pattern with \^/)
})
