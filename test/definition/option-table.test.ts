/** Tables of options: the type of what is valid, and the faults of what is not. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  booleanOption,
  checkOptions,
  isComplete,
  nonEmptyText,
  type OptionTable,
  oneOf,
  required,
} from '../../src/definition/option-table.ts'

const table = {
  issuer: required(nonEmptyText, "Add issuer: 'https://login.example.org'."),
  mode: oneOf('open', 'closed'),
  isStrict: booleanOption,
} satisfies OptionTable

function check(given: unknown) {
  const faults: (readonly [reason: string, suggestion: string | undefined])[] = []
  const options = checkOptions(given, table, (reason, suggestion) => faults.push([reason, suggestion]))
  return { options, faults }
}

test('valid options have the types of their table', () => {
  const { options, faults } = check({ issuer: 'a', mode: 'open', isStrict: undefined })
  assert.deepEqual(faults, [])
  assert.ok(isComplete(options, table))
  const issuer: string = options.issuer
  const mode: 'open' | 'closed' | undefined = options.mode
  assert.deepEqual([issuer, mode, Object.keys(options)], ['a', 'open', ['issuer', 'mode']])
})

test('a required option that is missing is a fault with its remedy', () => {
  const missing = ["The option 'issuer' is missing.", "Add issuer: 'https://login.example.org'."]
  for (const given of [undefined, {}, { issuer: undefined }]) {
    const { options, faults } = check(given)
    assert.deepEqual(faults, [missing])
    assert.equal(isComplete(options, table), false)
  }
})

test('an invalid value is one fault, also where the option is required', () => {
  const { options, faults } = check({ issuer: '', mode: 'shut' })
  assert.deepEqual(
    faults.map(([reason]) => reason),
    [
      'The option \'issuer\' must be a non-empty text, not "".',
      "The option 'mode' must be 'open' or 'closed', not \"shut\".",
    ],
  )
  assert.equal(isComplete(options, table), false)
})

test('options that are no object are one fault', () => {
  const { options, faults } = check([])
  assert.deepEqual(faults, [['Options must be an object, not [].', undefined]])
  assert.equal(isComplete(options, table), false)
})
