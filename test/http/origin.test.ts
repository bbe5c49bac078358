/** Origins: the header fields of browsers that name the page of a request, and CORS responses. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { corsFields, isCrossOrigin, preflightFields } from '../../src/http/origin.ts'

const listed = ['https://app.example']
const arrival = { host: 'shop.example:3000', secure: false }

test('a request without a browser’s fields is not cross-origin', () => {
  assert.equal(isCrossOrigin(listed, {}, arrival), false)
})

test('pages of the service and of listed origins may send', () => {
  for (const fields of [
    { origin: 'http://shop.example:3000' },
    { origin: 'http://shop.example:3000', 'sec-fetch-site': 'same-origin' },
    // A proxy terminated TLS without a forwarding field.
    { origin: 'https://shop.example:3000', 'sec-fetch-site': 'same-origin' },
    // A form of the service: its Referrer-Policy makes the browser hide the origin (Fetch §3.2.5).
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
    { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
  ]) {
    assert.equal(isCrossOrigin(listed, fields, arrival), false, JSON.stringify(fields))
  }
  const behindTls = { host: 'shop.example', secure: true }
  assert.equal(isCrossOrigin([], { origin: 'https://shop.example' }, behindTls), false)
})

test('every other page may not', () => {
  for (const fields of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'https://shop.example:3000' },
    { origin: 'http://shop.example' },
    { origin: 'http://shop.example:3000.evil.example' },
    { origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
    { origin: 'https://app.example.evil.example' },
    { origin: 'https://app.example:443' },
    { origin: 'http://shop.example:3000/' },
  ]) {
    assert.equal(isCrossOrigin(listed, fields, arrival), true, JSON.stringify(fields))
  }
  assert.equal(isCrossOrigin([], { origin: 'http://x' }, { host: undefined, secure: false }), true)
})

test('only a listed origin gets CORS fields, with its own name', () => {
  assert.equal(corsFields(listed, { origin: listed[0] })['Access-Control-Allow-Origin'], listed[0])
  for (const origin of [undefined, 'null', '*', 'https://app.example.evil', 'http://app.example']) {
    assert.deepEqual(corsFields(listed, { origin }), {}, String(origin))
    assert.deepEqual(preflightFields(listed, { origin }, 'GET'), {}, String(origin))
  }
})

test('a preflight permits the fields of files and of resumable uploads', () => {
  const fields = preflightFields(listed, { origin: listed[0] }, 'PUT')
  const permitted = String(fields['Access-Control-Allow-Headers']).toLowerCase().split(', ')
  const sent =
    'content-digest content-disposition if-range upload-complete upload-draft-interop-version upload-length upload-offset'
  assert.deepEqual(
    sent.split(' ').filter((name) => !permitted.includes(name)),
    [],
  )
})

test('a preflight permits both fields of a trace (Trace Context §3)', () => {
  const permitted = preflightFields(listed, { origin: listed[0] }, 'GET')['Access-Control-Allow-Headers']
  assert.match(String(permitted), /(^|, )Traceparent, Tracestate(,|$)/)
})

test('a preflight names Authorization outright, and never invites credentials', () => {
  const fields = preflightFields(listed, { origin: listed[0] }, 'GET, HEAD')
  assert.match(String(fields['Access-Control-Allow-Headers']), /(^|, )Authorization(,|$)/)
  assert.equal(fields['Access-Control-Allow-Methods'], 'GET, HEAD')
  assert.equal('Access-Control-Allow-Credentials' in fields, false)
})
