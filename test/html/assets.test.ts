/** The files that every HTML page loads. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { anyone, resource, service, text } from 'restwell'
import { script, stylesheet } from '../../src/html/assets.ts'
import { serve } from '../service.ts'

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

test('an asset evaluates If-Match, before If-None-Match (RFC 9110 §13.1.1, §13.2.2)', async () => {
  const notes = resource({ text: text() }, { access: { read: anyone } })
  await using s = await serve(service({ title: 'Notes', resources: { notes } }))
  const get = (fields: Record<string, string>) => s.request(`GET /assets/${stylesheet.name}`, fields)
  const tag = String((await get({})).fields.etag)
  assert.deepEqual(
    [
      (await get({ 'if-match': tag })).status,
      (await get({ 'if-match': '*', 'if-none-match': tag })).status,
      (await get({ 'if-match': `W/${tag}` })).status,
    ],
    [200, 304, 412],
  )
  const refused = await get({ 'if-match': '"other"', 'if-none-match': tag })
  assert.deepEqual([refused.status, refused.fields.etag], [412, tag])
})
