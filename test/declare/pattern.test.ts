import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPattern } from '../../src/declare/pattern.ts'

function faultsOf(pattern: string): readonly string[] {
  const faults: string[] = []
  checkPattern(pattern, (reason) => faults.push(reason))
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
  ]) {
    assert.match(faultsOf(pattern).join(), /exponential time/, pattern)
  }
})

test('back-references are refused', () => {
  assert.match(faultsOf('^(a)\\1$').join(), /back-reference/)
  assert.match(faultsOf('^(?<x>a)\\k<x>$').join(), /back-reference/)
})

test('what is no regular expression with the flag u is refused', () => {
  for (const pattern of ['(', '[a', 'a**', '\\-', '{1}', '\\p{Nope}']) {
    assert.match(faultsOf(pattern).join(), /no regular expression/, pattern)
  }
})
