/** The files that every HTML page loads. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { script, stylesheet } from '../../src/html/assets.ts'

const decoder = new TextDecoder()

test('the script is one module without imports, below 25 kB compressed', () => {
  const text = decoder.decode(script.content)
  assert.doesNotMatch(text, /^(import|export) /m)
  // In a block of strict code, as in a module, no name can be declared twice.
  assert.doesNotThrow(() => new Function(`'use strict'; {\n${text}\n}`))
  assert.match(text, /^function showLocally\(/m)
  assert.ok(gzipSync(script.content).length < 25_000)
})

test('the stylesheet is one file below 10 kB compressed, and its exceptions for print come last', () => {
  const text = decoder.decode(stylesheet.content)
  assert.doesNotMatch(text, /@import/)
  assert.ok(text.indexOf('@media print') > text.lastIndexOf('.chart'))
  assert.ok(gzipSync(stylesheet.content).length < 10_000)
})
