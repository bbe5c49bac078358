/** Deprecation (RFC 9745) and Sunset (RFC 8594) are for deprecated resources; the service has none. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, text } from '../../src/index.ts'
import { serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const library = service({
  title: 'Library',
  resources: {
    books: resource({ title: text({ max: 50 }) }, { access: open, formerly: ['tomes'] }),
  },
})

test('a resource that is not deprecated has neither Deprecation nor Sunset, and links to no successor (RFC 9745 §2, RFC 8594 §3)', async () => {
  await using s = await serve(library)
  const { json: book } = await s.request('POST /books', {}, { title: 'One' })
  // 301 states that a former name has moved: it has no date of deprecation.
  const lines = ['GET /', 'GET /books', `GET /books/${book.id}`, 'GET /tomes', 'GET /openapi.json']
  for (const line of [...lines, 'OPTIONS /books', 'GET /nothing']) {
    const { status, fields } = await s.request(line)
    assert.ok(status < 500, line)
    assert.equal(fields.deprecation, undefined, line)
    assert.equal(fields.sunset, undefined, line)
    assert.doesNotMatch(String(fields.link ?? ''), /deprecation|sunset|successor-version/, line)
  }
})
